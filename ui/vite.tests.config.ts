// The component tests as scripts that Node runs: `node --test` needs no other runner, and no browser.

import { readdirSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const tests = readdirSync("tests").filter((name) => /\.test\.tsx?$/.test(name));

export default defineConfig({
  plugins: [react()],
  publicDir: false,
  build: {
    ssr: true,
    outDir: "../.tools/ui-tests",
    emptyOutDir: true,
    rollupOptions: { input: Object.fromEntries(tests.map((name) => [name.replace(/\.tsx?$/, ""), `tests/${name}`])) },
  },
  ssr: { noExternal: true },
});
