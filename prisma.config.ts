import { fileURLToPath } from 'node:url'
import { defineConfig } from 'prisma/config'

// Posthaste migrates with the engine that npm installs as WebAssembly. Without this line Prisma's command line would download another one; any
// file that exists keeps it from that.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(import.meta.url)

export default defineConfig({ schema: 'prisma', migrations: { path: 'prisma/migrations' } })
