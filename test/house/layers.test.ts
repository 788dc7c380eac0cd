import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { beforeAll, expect, it } from 'vitest'

/** Far fewer than there are, far more than an empty run would see. */
const MODULES_MIN = 100

type Kind = 'value' | 'type'
type Import = { from: string; kind: Kind; to: string }
type Judgement = { modules: number; imports: string[]; violations: string[] }

/** Reading the settings takes longer than judging a small house. */
const SETTINGS = { options: await extractDepcruiseOptions('./.dependency-cruiser.cjs'), tsConfig: extractTsConfig('./tsconfig.json') }

async function judge(baseDir: string): Promise<Judgement> {
  const { options, tsConfig } = SETTINGS
  const { output } = await cruise(['src'], { ...options, baseDir, outputType: 'json', validate: true }, undefined, { tsConfig })
  const { modules, summary }: ICruiseResult = JSON.parse(String(output))
  return {
    modules: modules.filter(({ source }) => source.startsWith('src/')).length,
    imports: modules.flatMap(({ source, dependencies }) => dependencies.map(({ resolved }) => `${source} -> ${resolved}`)),
    violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
  }
}

/** Checks a house of small files with these imports. */
async function judgeImports(imports: Import[]): Promise<Judgement> {
  const house = await realpath(await mkdtemp(join(tmpdir(), 'posthaste-test-house-')))
  try {
    for (const name of new Set(imports.flatMap(({ from, to }) => [from, to]))) {
      await mkdir(dirname(join(house, name)), { recursive: true })
      const lines = imports.filter(({ from }) => from === name).map(importLine)
      await writeFile(join(house, name), ['export const thing = 1', 'export type Thing = number', ...lines, ''].join('\n'))
    }
    return await judge(house)
  } finally {
    await rm(house, { recursive: true, force: true })
  }
}

function importLine({ from, kind, to }: Import, index: number): string {
  const specifier = relative(dirname(from), to).replace(/^(?!\.)/, './')
  return kind === 'type'
    ? `import type { Thing as Thing${index} } from '${specifier}'\nexport type Other${index} = Thing${index}`
    : `import { thing as thing${index} } from '${specifier}'\nexport const other${index} = thing${index}`
}

it('lets arrows only point down', async () => {
  const { modules, violations } = await judge(process.cwd())
  expect(violations).toEqual([])
  expect(modules).toBeGreaterThan(MODULES_MIN)
})

const REFUSED: [from: string, kind: Kind, to: string, rule: string][] = [
  ['services/a.ts', 'value', 'services/b.ts', 'not-in-allowed'],
  ['services/a.ts', 'type', 'config.ts', 'not-in-allowed'],
  ['services/a.ts', 'value', 'context.ts', 'not-in-allowed'],
  ['services/a.ts', 'value', 'repositories/emails/emails.ts', 'not-in-allowed'],
  ['repositories/contacts/contacts.ts', 'value', 'repositories/segments/segments.ts', 'not-in-allowed'],
  ['repositories/contacts/contacts.ts', 'type', 'repositories/segments/segments.ts', 'not-in-allowed'],
  ['repositories/page.ts', 'type', 'repositories/emails/emails.ts', 'not-in-allowed'],
  ['repositories/emails/emails.ts', 'value', 'schemas/emails.ts', 'not-in-allowed'],
  ['repositories/emails/emails.ts', 'type', 'gateways/files/blob-store.ts', 'not-in-allowed'],
  ['serializers/emails.ts', 'value', 'repositories/emails/emails.ts', 'not-in-allowed'],
  ['routes/emails.ts', 'value', 'repositories/page.ts', 'not-in-allowed'],
  ['routes/emails.ts', 'type', 'gateways/files/blob-store.ts', 'not-in-allowed'],
  ['routes/emails.ts', 'value', 'routes/logs.ts', 'not-in-allowed'],
  ['routes/emails.ts', 'value', 'plugins/errors.ts', 'not-in-allowed'],
  ['plugins/errors.ts', 'value', 'workers/engine/deliver.ts', 'not-in-allowed'],
  ['workers/engine/deliver.ts', 'value', 'routes/emails.ts', 'not-in-allowed'],
  ['workers/engine/deliver.ts', 'value', 'compose.ts', 'top-is-not-imported'],
  ['workers/engine/deliver.ts', 'type', 'process-log.ts', 'top-is-not-imported'],
  ['plugins/errors.ts', 'value', 'pages/shell/page-shell.ts', 'not-in-allowed'],
  ['app.ts', 'value', 'compose.ts', 'top-is-not-imported'],
  ['start.ts', 'value', 'main.ts', 'only-the-entry-imports-main'],
  ['gateways/files/blob-store.ts', 'value', 'repositories/database.ts', 'not-in-allowed'],
  ['gateways/files/blob-store.ts', 'value', 'config.ts', 'not-in-allowed'],
  ['database/migrations/migrate.ts', 'type', 'repositories/database.ts', 'not-in-allowed'],
  ['database/migrations/migrate.ts', 'value', 'gateways/files/blob-store.ts', 'not-in-allowed'],
  ['schemas/emails.ts', 'type', 'mail/addresses.ts', 'not-in-allowed'],
  ['lib/ids.ts', 'value', 'mail/addresses.ts', 'not-in-allowed'],
  ['lib/ids.ts', 'type', 'lib/engine/lanes.ts', 'not-in-allowed'],
  ['pages/shell/page-shell.ts', 'value', 'pages/emails/list-page.ts', 'not-in-allowed'],
  ['routes/emails.ts', 'value', 'pages/emails/list-page.ts', 'not-in-allowed'],
  ['context.ts', 'value', 'repositories/repositories.ts', 'not-in-allowed'],
  ['services/a.ts', 'type', 'configuration/values.ts', 'not-in-allowed'],
  ['configuration/values.ts', 'type', 'config.ts', 'not-in-allowed'],
]

const REFUSED_LIBRARIES: [from: string, to: string, rule: string][] = [
  ['src/services/a.ts', 'node_modules/fastify/index.ts', 'services-know-no-framework'],
  ['src/serializers/a.ts', 'node_modules/fastify/index.ts', 'http-framework'],
  ['src/routes/a.ts', 'node_modules/pg/index.ts', 'database-libraries'],
  ['src/services/a.ts', 'node_modules/undici/index.ts', 'sockets-and-files'],
]

const ALLOWED: [from: string, kind: Kind, to: string][] = [
  ['services/a.ts', 'type', 'context.ts'],
  ['serializers/emails.ts', 'type', 'repositories/emails/emails.ts'],
  ['repositories/emails/emails.ts', 'value', 'repositories/page.ts'],
  ['repositories/emails/emails.ts', 'value', 'repositories/emails/attachments.ts'],
  ['repositories/segments/segments.ts', 'value', 'repositories/contacts/contacts.ts'],
  ['gateways/files/blob-store.ts', 'type', 'config.ts'],
  ['config.ts', 'value', 'configuration/values.ts'],
]

const withinSource = ([from, kind, to]: [string, Kind, string, ...unknown[]]): Import => ({ from: `src/${from}`, kind, to: `src/${to}` })

let refusedValues: Judgement
let refusedTypes: Judgement
let refusedLibraries: Judgement
let allowed: Judgement

// A house for each kind, because one line would decide about the other of the same pair; and one for what is allowed, because its imports would make
// circles with those that are refused.
beforeAll(async () => {
  const refused = REFUSED.map(withinSource)
  refusedValues = await judgeImports(refused.filter(({ kind }) => kind === 'value'))
  refusedTypes = await judgeImports(refused.filter(({ kind }) => kind === 'type'))
  refusedLibraries = await judgeImports(REFUSED_LIBRARIES.map(([from, to]) => ({ from, kind: 'value', to })))
  allowed = await judgeImports(ALLOWED.map(withinSource))
})

it.each(REFUSED)('refuses that %s imports a %s of %s', (from, kind, to, rule) => {
  const { violations } = kind === 'value' ? refusedValues : refusedTypes
  expect(violations).toContain(`${rule}: src/${from} -> src/${to}`)
})

it.each(REFUSED_LIBRARIES)('refuses that %s imports %s', (from, to, rule) => {
  expect(refusedLibraries.violations).toContain(`${rule}: ${from} -> ${to}`)
})

it.each(ALLOWED)('allows that %s imports a %s of %s', (from, _kind, to) => {
  expect(allowed.imports).toContain(`src/${from} -> src/${to}`)
  expect(allowed.violations).toEqual([])
})

it('reads process.env in config.ts only', async () => {
  const files = (await readdir('src', { recursive: true })).filter((name) => name.endsWith('.ts') && !name.startsWith('generated/'))
  const reading = /process\??\.env\b|process\[|\benv\b.*(= process\b|from 'node:process')/
  const readers: string[] = []
  for (const name of files) if (reading.test(await readFile(join('src', name), 'utf8'))) readers.push(name)

  expect(readers).toEqual(['config.ts'])
  expect(files.length).toBeGreaterThan(MODULES_MIN)
})
