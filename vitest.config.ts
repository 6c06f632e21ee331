import { defineConfig } from "vitest/config";

// Where continuous integration asks for it, the counts also go to a file.
const results = process.env.VITEST_RESULTS;

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: results ? ["default", "json"] : ["default"],
    ...(results && { outputFile: { json: results } }),
  },
});
