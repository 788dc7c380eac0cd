import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { BASE } from './settings/base.ts'

/** The service that `npm run dev` starts beside it. */
const SERVICE = process.env.PUBLIC_URL ?? `http://localhost:${process.env.PORT ?? 3000}`

export default defineConfig({
  root: import.meta.dirname,
  base: `${BASE}/`,
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsDir: 'assets',
    modulePreload: { polyfill: false },
    target: 'es2024',
    chunkSizeWarningLimit: 2_000,
  },
  server: {
    port: 5173,
    strictPort: true,
    // Everything that is no file of the console is the service's.
    proxy: { [`^(?!${BASE}/)`]: { target: SERVICE, changeOrigin: false } },
  },
})
