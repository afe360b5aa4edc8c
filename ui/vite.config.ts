import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const SERVER = process.env.HOLDFAST_HTTP ?? "http://127.0.0.1:8233";

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "../src/holdfast/server/ui/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // Nothing is put into other files as a data: address, so the content policy can stay narrow.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // On a busy machine the bundler would tell how long its plugins took.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: {
    proxy: {
      "/api": { target: SERVER, changeOrigin: true, headers: { origin: SERVER } },
      "/health": { target: SERVER, changeOrigin: true },
      "/openapi.json": { target: SERVER, changeOrigin: true },
    },
  },
});
