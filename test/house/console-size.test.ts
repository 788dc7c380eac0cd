// What a browser loads before the first page of the console is there, and what travels with the package and the image.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'

const DIST = 'console/dist'
const ASSETS = `${DIST}/assets`
/** In bytes, as they are sent. Charts and editors are loaded when they are drawn. */
const FIRST_PAGE_BYTES_MAX = 250_000
const ALL_BYTES_MAX = 12_000_000

/** The file, and the scripts that it imports before it runs. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  if (!name.endsWith('.js')) return found
  const imports = readFileSync(`${ASSETS}/${name}`, 'utf8').matchAll(/\b(?:from|import)\s?"\.\/([^"]+)"/g)
  for (const [, imported = ''] of imports) withImports(imported, found)
  return found
}

const bytesOf = (path: string): number => statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size

it('loads the first page of the console from few bytes', () => {
  const page = readFileSync(`${DIST}/index.html`, 'utf8')
  const named = [...page.matchAll(/"\/console\/assets\/([^"]+)"/g)].map(([, name = '']) => name)
  const overview = readdirSync(ASSETS).filter((name) => /^OverviewPage-.*\.js$/.test(name))
  expect(named.length).toBeGreaterThan(2)
  expect(overview).toHaveLength(1)
  const found = new Set<string>()
  for (const name of [...named, ...overview]) withImports(name, found)
  const sizes = [...found].map((name) => bytesOf(`${ASSETS}/${name}`))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_PAGE_BYTES_MAX)
  expect([...found].filter((name) => /^(?:CartesianChart|BlockEditor|HtmlEditor|GraphDrawing)/.test(name))).toEqual([])
})

it('has built files of few bytes in all', () => {
  const files = readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.reduce((sum, { parentPath, name }) => sum + statSync(`${parentPath}/${name}`).size, 0)).toBeLessThan(ALL_BYTES_MAX)
})
