// How many of what others may make as many as they like are drawn at once; the rest is counted.

/** Names in a sentence. */
export const NAMES_MAX = 20;
/** Whom a message is for: more are not shown of one either, and all of them have room beside the longest text. */
export const TO_MAX = 20;
/** People in the list, at first and with each further ask. */
export const PEOPLE_STEP = 50;
