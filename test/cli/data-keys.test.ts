import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { toTimestamp } from '../../src/lib/clock.ts'
import { useCommandsBesideService } from './use-commands.ts'

const SECRET_KEY = 'the secret key of the service of this test'

const { service, folder, commandWith, errorsWith } = useCommandsBesideService({ environment: { SECRET_KEY } })

const command = (args: string[], environment: Record<string, string> = { SECRET_KEY }) => commandWith(environment, 'data-keys', ...args)
const list = () => service().service.context.repositories.dataKeys.list()
const age = (seconds: number) =>
  service().database.execute(`update data_keys set created_at = created_at - $1 * interval '1 second'`, [seconds])

it('a key is rotated, listed and retired', async () => {
  expect(await command(['rotate', 'share'])).toEqual({
    status: 0,
    out: 'Version 2 of share was created. It signs in 60 s, when every process knows it; what older versions signed or sealed stays valid.\n',
    errors: errorsWith(),
  })

  const { out, errors } = await command(['list'])
  expect(errors).toBe(errorsWith())
  const at = String.raw`[\d-]{10} [\d:]{8} UTC`
  const line = (purpose: string, version: number, state: string) =>
    expect.stringMatching(new RegExp(`^${purpose} +${version}  ${at}  ${state}$`))
  expect(out.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^PURPOSE {12}VERSION {2}CREATED {18}STATE$/),
    line('audit', 1, 'signing'),
    line('dkim', 1, 'signing'),
    line('download', 1, 'signing'),
    line('inline-image', 1, 'signing'),
    line('installation-mail', 1, 'signing'),
    line('oauth', 1, 'signing'),
    line('opt-out', 1, 'signing'),
    line('return-path', 1, 'signing'),
    line('session', 1, 'signing'),
    line('share', 1, 'signing'),
    line('share', 2, 'next'),
    line('tracking', 1, 'signing'),
    line('unsubscribe', 1, 'signing'),
    line('webhook', 1, 'signing'),
  ])

  expect((await command(['retire', 'share', '1'])).errors).toMatch(/\nVersion 1 of share may still sign: try again in \d+ s, .+\n$/)
  await age(80)
  const rows = (await list()).filter(({ purpose }) => purpose === 'share')
  const json: unknown = JSON.parse((await command(['list', '--json'])).out)
  for (const { version, createdAt } of rows)
    expect(json).toContainEqual({
      purpose: 'share',
      version,
      created_at: toTimestamp(createdAt),
      state: version === 2 ? 'signing' : 'opening',
    })
  expect(await command(['retire', 'share', '1'])).toEqual({
    status: 0,
    out: 'Version 1 of share is retired: within 10 s every process refuses what it has signed.\n',
    errors: errorsWith(),
  })
  expect((await list()).filter(({ purpose }) => purpose === 'share').map(({ version }) => version)).toEqual([2])
})

it.each([
  [
    'to rotate the key of opted-out addresses',
    ['rotate', 'opt-out'],
    'The key of opt-out is never replaced: addresses that have opted out would no longer be recognized.',
  ],
  [
    'to retire a key of unsubscribe links',
    ['retire', 'unsubscribe', '1'],
    'Keys of unsubscribe are never retired: what people decided, and links in mail delivered long ago, depend on them.',
  ],
  ['a version that is not there', ['retire', 'share', '99'], 'There is no version 99 of share; `data-keys list` shows all.'],
])('is refused with status 1 and one line: %s', async (_what, args, line) => {
  const before = await list()
  expect(await command(args)).toEqual({ status: 1, out: '', errors: errorsWith(`${line}\n`) })
  expect((await list()).length).toBe(before.length)
})

it('a version that is no number is not understood', async () => {
  expect(await command(['retire', 'share', 'one'])).toEqual({
    status: 2,
    out: '',
    errors: "error: command-argument value 'one' is invalid for argument 'version'. `data-keys list` shows all versions.\n",
  })
})

it('a key is not rotated without the SECRET_KEY of the services, and none is made up', async () => {
  const dataDir = join(folder(), 'data')
  const before = (await list()).length
  expect(await command(['rotate', 'download'], { SECRET_KEY: '' })).toEqual({
    status: 1,
    out: '',
    errors: errorsWith(
      `${join(dataDir, 'secret-key')} is missing, and the keys in the database are opened by nothing else: restore that file from a backup, or set SECRET_KEY to what it held.\n`,
    ),
  })
  expect(await command(['rotate', 'download'], { SECRET_KEY: 'another secret key than that of the service' })).toEqual({
    status: 1,
    out: '',
    errors: errorsWith(
      'SECRET_KEY does not open the keys in the database: set the SECRET_KEY they were made with, or that one as SECRET_KEY_PREVIOUS.\n',
    ),
  })
  expect((await list()).length).toBe(before)
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'secret-key'), `${SECRET_KEY}\n`)
  expect(await command(['rotate', 'download'], { SECRET_KEY: '' })).toMatchObject({ status: 0 })
})
