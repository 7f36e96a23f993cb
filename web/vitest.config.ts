// The tests that need no plane and no browser. Vectors and plain TypeScript run in Node; components run in a
// simulated page.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          environment: "node",
          include: ["tests/unit/**/*.test.ts", "tests/vectors/**/*.test.ts"],
        },
      },
      {
        plugins: [svelte()],
        resolve: { conditions: ["browser"] },
        test: {
          name: "page",
          environment: "jsdom",
          // For what hangs: a simulated page of many people takes seconds on a machine that has other work.
          testTimeout: 60_000,
          include: ["tests/page/**/*.test.ts"],
          setupFiles: ["tests/page/support/setup.ts"],
        },
      },
    ],
  },
});
