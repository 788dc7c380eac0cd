#!/usr/bin/env node
// The entry: plain JavaScript, so that an older Node can read it and say what is wrong. Everything else is src/main.ts.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(
    `Posthaste needs Node.js 24 or newer; this is ${process.versions.node}. Start it with \`npm start\`, which brings its own.\n`,
  )
  process.exit(1)
}
// Compiling everything anew would take as long as the rest of a start. Without a writable folder, Node.js compiles anew.
module.enableCompileCache(fileURLToPath(new URL('node_modules/.cache/posthaste', import.meta.url)))
// What is set outside the file stays as it is.
try {
  if (existsSync('.env')) process.loadEnvFile('.env')
} catch (error) {
  process.stderr.write(`The file .env in this folder cannot be read (${error.message}): make it readable, or move it away.\n`)
  process.exit(1)
}
const { main } = await import('./src/main.ts')
await main(process.argv)
