// Writes the OpenAPI document, and the types of the console from it: `npm run openapi`. With --check, says whether they are up to date.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTypes, { astToString } from 'openapi-typescript'

const root = join(import.meta.dirname, '..')
const file = join(import.meta.dirname, 'src/api/schema.d.ts')
const isCheck = process.argv.includes('--check')

execFileSync(process.execPath, [join(root, 'posthaste.js'), 'openapi', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' })
const nodes = await openapiTypes(new URL('../openapi/openapi.json', import.meta.url), { alphabetize: true })
// The descriptions stand in the document.
const text = `// Written by \`npm run openapi\`.\n${astToString(nodes, { formatOptions: { removeComments: true } })}`
if (isCheck) {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    process.stderr.write('console/src/api/schema.d.ts is not up to date: run `npm run openapi`.\n')
    process.exitCode = 1
  }
} else {
  writeFileSync(file, text)
}
