// An npm registry on the loopback interface with just the given packages, so that a first `npx` run is the real one.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";

import { NAME, tarballs } from "./installation.mjs";

const PLATFORMS = JSON.parse(readFileSync(new URL("../platforms.json", import.meta.url), "utf8"));

export class Registry {
  /** The paths that were asked for. */
  asked = [];
  #packages = new Map();
  #server = createServer((request, response) => this.#answer(request, response));

  /** @param {string[]} files packed packages */
  constructor(files) {
    for (const file of files) {
      const manifest = manifestOf(file);
      this.#packages.set(manifest.name, { manifest, file, bytes: readFileSync(file) });
    }
  }

  /** Its URL. */
  async listen() {
    await new Promise((done) => this.#server.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.#server.address().port}/`;
    return this.url;
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(request, response) {
    const path = decodeURIComponent(request.url.slice(1));
    this.asked.push(path);
    for (const [name, { manifest, file, bytes }] of this.#packages) {
      const archive = `${name}/-/${basename(file)}`;
      if (path === archive) return response.end(bytes);
      if (path !== name) continue;
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
      const version = { ...manifest, dist: { tarball: this.url + archive, integrity } };
      response.setHeader("content-type", "application/json");
      return response.end(
        JSON.stringify({ name, "dist-tags": { latest: manifest.version }, versions: { [manifest.version]: version } }),
      );
    }
    response.statusCode = 404;
    return response.end("{}");
  }
}

/**
 * Packages for the platforms of which none was built here, with a file in the program's place: a registry has all of
 * them, and npm has to pick.
 */
export function placeholders(folder) {
  const launcher = manifestOf(tarballs.get("launcher"));
  return PLATFORMS.filter(({ key }) => !tarballs.has(key)).map(({ key, os, cpu, libc }) => {
    const file = os === "win32" ? "devpilot-session.exe" : "devpilot-session";
    const inside = join(folder, key, "package");
    mkdirSync(inside, { recursive: true });
    const manifest = { name: `${NAME}-${key}`, version: launcher.version, os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) };
    writeFileSync(join(inside, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(inside, file), "not for this machine\n", { mode: 0o755 });
    const archive = join(folder, `${key}.tgz`);
    execFileSync("tar", ["-czf", archive, "-C", join(folder, key), "package"]);
    return archive;
  });
}

function manifestOf(file) {
  return JSON.parse(execFileSync("tar", ["-xzOf", file, "package/package.json"]));
}
