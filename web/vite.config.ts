// How the app is built into dist/, which the plane serves: hashed names under /assets, nothing inline, no
// request to anywhere else. What is served without the app lies in static/ and is not touched here.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { forms } from "./vite.forms.ts";

export default defineConfig({
  base: "/",
  // A library asks for Node's cryptography where a browser has none: nothing to be told at each build.
  logLevel: "error",
  publicDir: false,
  plugins: [svelte(), forms()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    rollupOptions: { input: "session.html" },
  },
});
