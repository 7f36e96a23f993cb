// How Svelte compiles the components: with elements made one by one, never from a string of HTML, so that the
// page runs where Trusted Types allow no policy at all.
import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

/** @type {import("@sveltejs/vite-plugin-svelte").SvelteConfig} */
export default {
  preprocess: vitePreprocess(),
  compilerOptions: { runes: true, fragments: "tree" },
};
