// How much of somebody else's text is looked at or shown at once, so that no message can hold the page up.

/** Characters and lines of a message that are shown before the reader asks for more, and at each further ask. */
export const PART_CHARACTERS = 8_000;
export const PART_LINES = 80;

/** Pieces that the first part of a message may be cut into, and each further one: the rest is shown as it was written. */
export const PIECES_MAX = 600;
/** What a link counts for, which is several elements. */
export const LINK_PIECES = 3;

/** The longest label, emphasis or inline code; what is longer stays as it was written. */
export const SPAN_MAX = 400;
export const ADDRESS_MAX = 2_000;

/** The longest code that is coloured: grammars look back and forth, and on text made for it take the square of its length. */
export const HIGHLIGHT_MAX = 2_000;

/** Coloured pieces of code that are kept, so that scrolling back does not colour them again. */
export const HIGHLIGHT_KEPT = 120;

/** Marks on one character that any writing system needs; a pile of more runs over the lines around it. */
export const MARKS_MAX = 8;
/** A larger table is shown as it was written. */
export const TABLE_CELLS_MAX = 2_000;

/** Places in one message that are marked when a reader searches; what is beyond is found, and not marked. */
export const MARKS_SHOWN_MAX = 100;
