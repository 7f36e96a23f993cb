// What the plane serves beside each file of a build: its compressed forms, made once and as small as they get.
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const COMPRESSIBLE = /\.(?:js|css|html|svg|json|wasm)$/;
/** A form that saves less is not worth its place in the plane's binary. */
const LEAST_SAVED = 64;
/** Keeps the folder under version control, so that the build of the plane always finds it. */
const KEEP = `# Keeps the folder, which the build of the plane looks into. A build of the app writes this file anew.
*
!.gitignore
`;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

async function compress(file: string): Promise<void> {
  const plain = await readFile(file);
  const forms: [string, Buffer][] = [
    ["br", await brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })],
    ["gz", await zip(plain, { level: 9 })],
  ];
  for (const [end, form] of forms) {
    if (form.length + LEAST_SAVED < plain.length) await writeFile(`${file}.${end}`, form);
  }
}

export function forms(): Plugin {
  return {
    name: "forms",
    apply: "build",
    async writeBundle({ dir }) {
      if (dir === undefined) return;
      await writeFile(join(dir, ".gitignore"), KEEP);
      for (const folder of [dir, join(dir, "assets")]) {
        const names = (await readdir(folder)).filter((name) => COMPRESSIBLE.test(name));
        await Promise.all(names.map((name) => compress(join(folder, name))));
      }
    },
  };
}
