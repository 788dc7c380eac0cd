import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { expect, it } from 'vitest'

/** Far fewer than there are, far more than an empty run would see. */
const MODULES_MIN = 100

async function judge(baseDir: string): Promise<{ modules: number; violations: string[] }> {
  const options = await extractDepcruiseOptions('./.dependency-cruiser.cjs')
  const { output } = await cruise(['src'], { ...options, baseDir, outputType: 'json', validate: true }, undefined, {
    tsConfig: extractTsConfig('./tsconfig.json'),
  })
  const { modules, summary }: ICruiseResult = JSON.parse(String(output))
  return {
    modules: modules.filter(({ source }) => source.startsWith('src/')).length,
    violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
  }
}

/** Checks a house of two files, of which the first imports the second. */
async function violationsOf(from: string, to: string, kind: 'value' | 'type'): Promise<string[]> {
  const house = await realpath(await mkdtemp(join(tmpdir(), 'posthaste-test-house-')))
  try {
    for (const file of [from, to]) await mkdir(dirname(join(house, file)), { recursive: true })
    const specifier = relative(dirname(from), to).replace(/^(?!\.)/, './')
    await writeFile(join(house, to), 'export const thing = 1\nexport type Thing = number\n')
    const text =
      kind === 'type'
        ? `import type { Thing } from '${specifier}'\nexport type Other = Thing\n`
        : `import { thing } from '${specifier}'\nexport const other = thing\n`
    await writeFile(join(house, from), text)
    return (await judge(house)).violations
  } finally {
    await rm(house, { recursive: true, force: true })
  }
}

it('lets arrows only point down', async () => {
  const { modules, violations } = await judge(process.cwd())
  expect(violations).toEqual([])
  expect(modules).toBeGreaterThan(MODULES_MIN)
})

it.each<[from: string, kind: 'value' | 'type', to: string, rule: string]>([
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
])('refuses that %s imports a %s of %s', async (from, kind, to, rule) => {
  expect(await violationsOf(`src/${from}`, `src/${to}`, kind)).toContain(`${rule}: src/${from} -> src/${to}`)
})

it.each([
  ['src/services/a.ts', 'node_modules/fastify/index.ts', 'services-know-no-framework'],
  ['src/serializers/a.ts', 'node_modules/fastify/index.ts', 'http-framework'],
  ['src/routes/a.ts', 'node_modules/pg/index.ts', 'database-libraries'],
  ['src/services/a.ts', 'node_modules/undici/index.ts', 'sockets-and-files'],
])('refuses that %s imports %s', async (from, to, rule) => {
  expect(await violationsOf(from, to, 'value')).toContain(`${rule}: ${from} -> ${to}`)
})

it.each<[from: string, kind: 'value' | 'type', to: string]>([
  ['services/a.ts', 'type', 'context.ts'],
  ['serializers/emails.ts', 'type', 'repositories/emails/emails.ts'],
  ['repositories/emails/emails.ts', 'value', 'repositories/page.ts'],
  ['repositories/emails/emails.ts', 'value', 'repositories/emails/attachments.ts'],
  ['repositories/segments/segments.ts', 'value', 'repositories/contacts/contacts.ts'],
  ['gateways/files/blob-store.ts', 'type', 'config.ts'],
  ['config.ts', 'value', 'configuration/values.ts'],
])('allows that %s imports a %s of %s', async (from, kind, to) => {
  expect(await violationsOf(`src/${from}`, `src/${to}`, kind)).toEqual([])
})

it('reads process.env in config.ts only', async () => {
  const files = (await readdir('src', { recursive: true })).filter((name) => name.endsWith('.ts') && !name.startsWith('generated/'))
  const reading = /process\??\.env\b|process\[|\benv\b.*(= process\b|from 'node:process')/
  const readers: string[] = []
  for (const name of files) if (reading.test(await readFile(join('src', name), 'utf8'))) readers.push(name)

  expect(readers).toEqual(['config.ts'])
  expect(files.length).toBeGreaterThan(MODULES_MIN)
})
