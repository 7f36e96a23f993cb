// Builds the page over a session made by hand, for a browser.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [svelte({ configFile: "../../../svelte.config.js" })],
  build: {
    outDir: "../../../dist-look",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: `${import.meta.dirname}/look.html` },
  },
});
