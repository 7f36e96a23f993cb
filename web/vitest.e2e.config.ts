// The tests in a real browser: the page over sessions made by hand, and against a real plane with the real client, once for
// each store. One file after the other.
import { defineConfig } from "vitest/config";

const WITH_A_PLANE = ["tests/e2e/session.test.ts", "tests/e2e/epochs.test.ts", "tests/e2e/story.test.ts"];
const common = { environment: "node", testTimeout: 120_000, hookTimeout: 120_000 } as const;

export default defineConfig({
  test: {
    fileParallelism: false,
    projects: [
      { test: { ...common, name: "look", include: ["tests/e2e/look*.test.ts"] } },
      ...["sqlite", "postgres"].map((store) => ({
        test: { ...common, name: store, include: WITH_A_PLANE, env: { STORE: store } },
      })),
    ],
  },
});
