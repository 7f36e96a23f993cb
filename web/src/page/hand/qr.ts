// A QR code as squares of a grid, drawn as SVG by Qr.svelte. The library is in a chunk of its own: loaded by this.
import qrcode from "qrcode-generator";

export interface Grid {
  /** Modules a side, without the quiet zone. */
  size: number;
  /** One SVG path of all dark modules. */
  path: string;
}

/** The grid of a text, at the middle level of error correction. */
export function grid(text: string): Grid {
  const code = qrcode(0, "M");
  code.addData(text, "Byte");
  code.make();
  const size = code.getModuleCount();
  let path = "";
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (code.isDark(row, column)) path += `M${column} ${row}h1v1h-1z`;
    }
  }
  return { size, path };
}
