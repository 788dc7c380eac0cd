// The documents agree with the service that they describe.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { configurationFiles } from '../../src/cli/generated/generated-files.ts'
import { Environment } from '../../src/config/environment.ts'
import { INBOUND_LIMITS } from '../../src/io/smtp/server/peers.ts'
import { createProgram } from '../../src/main.ts'
import {
  ACTED_UPON_CONTENT_BYTES_MAX,
  ACTED_UPON_ROWS_MAX,
  OTHER_CONTENT_BYTES_MAX,
  OTHER_CONTENT_KEPT_DAYS,
  OTHER_ROWS_MAX,
} from '../../src/modules/inbound/inbound.sweep.ts'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

const pagesIn = (folder: string) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [`${folder}/${entry.name}`] : []))

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', ...pagesIn('docs')]

type Variable = { description?: string; default?: string | number }
const variables = Object.entries<Variable>(Environment.properties)
const meanings = variables.map(([name, { description }]) => ({ name, description }))

describe('docs/configuration.md', () => {
  const rows = [...read('docs/configuration.md').matchAll(/^\| `([A-Z_]+)` *\| (.*?) *\| (.*?) *\|$/gm)]

  it('has every variable with its meaning, in the order of the schema, and no other', () => {
    expect(rows.map(([, name, , description]) => ({ name, description }))).toEqual(meanings)
  })

  it('has every default', () => {
    const shown = new Map(rows.map(([, name, value]) => [name, value]))
    const withDefault = variables.filter(([, { default: value }]) => value !== undefined && value !== '')
    expect(withDefault.map(([name]) => [name, shown.get(name)])).toEqual(
      withDefault.map(([name, { default: value }]) => [name, `\`${value}\``]),
    )
  })
})

describe('.env.example', () => {
  it('has every variable with its meaning and its default, commented out, and no other', () => {
    const entries = [...read('.env.example').matchAll(/^# (.+)\n(#?)([A-Z_]+)=(.*)$/gm)]

    expect(entries.map(([, description, mark, name, value]) => ({ name, description, mark, value }))).toEqual(
      variables.map(([name, { description, default: value = '' }]) => ({ name, description, mark: '#', value: String(value) })),
    )
  })
})

it.each([...configurationFiles().texts])('%s is what `npm run configuration` writes', (name, text) => {
  expect(read(name)).toBe(text)
})

describe('the commands', () => {
  const inner = (command: Command): Command[] => (command.commands.length === 0 ? [command] : command.commands.flatMap(inner))
  const nameOf = (command: Command): string => (command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name())
  const commands = inner(createProgram()).map(nameOf)

  it('are all in docs/operation.md, and no other', () => {
    const table = read('docs/operation.md').split('| command ')[1]?.split('\n\n')[0] ?? ''
    const named = [...table.matchAll(/^\| (.+?) +\| /gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    )
    expect(named.toSorted()).toEqual(commands.toSorted())
  })

  it('of npm are all in CONTRIBUTING.md', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
    const text = read('CONTRIBUTING.md')
    const missing = Object.keys(scripts).filter((name) => !new RegExp(`\`npm (run )?${name}( --[^\`]*)?\``).test(text))
    expect(missing).toEqual(['postinstall'])
  })

  it('that the documents show are understood', () => {
    const shown = DOCUMENTS.flatMap((name) =>
      [...read(name).matchAll(/npm run posthaste -- ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)/g)].map(([, words = '']) => words),
    )
    expect(shown.filter((words) => !commands.some((name) => words === name || words.startsWith(`${name} `)))).toEqual([])
  })
})

it('docs/operation.md has the limits of the SMTP server, and of what it keeps', () => {
  const [MIB, MINUTE_MS] = [1024 * 1024, 60_000]
  const rows = [...(read('docs/operation.md').split('| limit ')[1]?.split('\n\n')[0] ?? '').matchAll(/^\| (.+?) *\| (.+?) *\|$/gm)]
  const limits = INBOUND_LIMITS
  const number = (value: number) => value.toLocaleString('en-US')
  const minutes = (ms: number) => `${ms / MINUTE_MS} minutes`
  const seconds = (ms: number) => `${ms / 1_000} seconds`

  const sizes = [ACTED_UPON_CONTENT_BYTES_MAX, OTHER_CONTENT_BYTES_MAX].map((bytes) => number(bytes / MIB))
  expect(read('docs/operation.md')).toContain(
    `is kept as long, up to ${sizes[0]} MB together. Anyone can send the rest, so its content is removed after ${OTHER_CONTENT_KEPT_DAYS} days, and kept up to ${sizes[1]} MB together.`,
  )
  expect(read('docs/operation.md')).toContain(`The SMTP server answers 452 below ${number(limits.freeBytesMin / MIB)} MB already`)
  expect(read('docs/operation.md')).toContain(
    `acted upon the newest ${number(ACTED_UPON_ROWS_MAX)}, and of each other verdict the newest ${number(OTHER_ROWS_MAX)}.`,
  )
  expect(read('docs/operation.md')).toContain(`a return path within ${limits.goodStandingMs / 60 / MINUTE_MS} hours:`)
  expect(limits.silenceMsMax).toBe(limits.commandMsMax)
  expect(rows.slice(1).map(([, limit, value]) => [limit, value])).toEqual([
    ['connections', `${limits.connectionsMax}; ${limits.connectionsPerPeerMax} from one address`],
    ['size of a message', `${limits.messageBytesMax / MIB} MB; for teams ([receiving](receiving.md)) ${limits.receivedBytesMax / MIB} MB`],
    ['recipients of a message', number(limits.recipientsMax)],
    ['messages in one connection', number(limits.messagesPerConnectionMax)],
    [
      'a minute from one address',
      `${number(limits.commandsPerPeerPerMinute)} commands, ${limits.errorsPerPeerPerMinute} errors, ${limits.bytesPerPeerPerMinute / MIB} MB`,
    ],
    [
      'a minute from all together',
      `${number(limits.bytesPerMinute / MIB)} MB; one address brings at most 1/${1 / limits.shareOfBytesLeft} of what is left of them`,
    ],
    ['one network', `all that ${limits.peersPerNetwork} addresses may have and do`],
    [
      'messages a minute from one address',
      `to return paths ${number(limits.returnPathMessagesPerPeerPerMinute)}, to \`fbl@\`, \`postmaster@\` and \`abuse@\` ${limits.roleMessagesPerPeerPerMinute}; each recipient counts`,
    ],
    ['messages a minute to one return path', number(limits.messagesPerReturnPathPerMinute)],
    [
      'what waits to be read',
      `${number(limits.waitingMessagesMax)} messages, ${number(limits.waitingBytesMax / MIB)} MB; one network at most as much as is left of them`,
    ],
    ['free space on the disk', `at least ${number(limits.freeBytesMin / MIB)} MB`],
    ['errors in one connection', number(limits.errorsPerConnectionMax)],
    ['commands without a message', number(limits.commandsWithoutMessageMax)],
    ['silence, and time for a command', minutes(limits.commandMsMax)],
    [
      'when all connections are in use',
      `${seconds(limits.uselessMsWhenFull)} without a new recipient or a message; a message that brings less than ${limits.messageBytesPerSecondMinWhenFull / 1024} KB a second`,
    ],
    ['time for a message', minutes(limits.messageMsMax)],
    ['time for a connection', minutes(limits.sessionMsMax)],
    ['time for a PROXY header', `${seconds(limits.proxyHeaderMsMax)}; ${limits.awaitingMax} connections wait for one`],
    [
      'time for messages at a stop',
      `${seconds(limits.lastMessagesMs)}; sessions between two messages are told at once that the service stops`,
    ],
  ])
})

describe('the documents', () => {
  const wordsIn = (name: string) => read(name).split(/\s+/).filter(Boolean).length

  it.each([
    ['README.md', 700],
    ['ARCHITECTURE.md', 1_200],
    ['CONTRIBUTING.md', 1_200],
  ])('%s has at most %d words', (name, wordsMax) => {
    expect(wordsIn(name)).toBeGreaterThan(wordsMax / 3)
    expect(wordsIn(name)).toBeLessThanOrEqual(wordsMax)
  })

  it('link to files that exist, and README.md to all in docs/', () => {
    const links = DOCUMENTS.flatMap((name) =>
      [...read(name).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, target = '']) => ({ name, path: join(dirname(name), target) })),
    )
    expect(links.filter(({ path }) => !existsSync(path))).toEqual([])
    const linked = links.filter(({ name }) => name === 'README.md').map(({ path }) => path)
    expect(DOCUMENTS.filter((name) => name.startsWith('docs/') && !linked.includes(name))).toEqual([])
  })
})
