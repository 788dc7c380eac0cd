import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { run } from './run-command.ts'
import { useCommands } from './use-commands.ts'

const SYSTEM_NODE = '/usr/bin/node'
/** NaN where the system has none. */
const systemNodeMajor = Number.parseInt(spawnSync(SYSTEM_NODE, ['--version'], { encoding: 'utf8' }).stdout?.slice(1) ?? '', 10)

const { folder, command, commandAlone } = useCommands()

describe('help', () => {
  it.each([
    {
      args: [],
      says: [
        'start',
        'migrate',
        'upgrade-database',
        'openapi',
        'configuration',
        'teams',
        'keys',
        'domains',
        'queue',
        'feedback',
        'metrics',
        'suppressions',
        'webhooks',
        'automations',
        'data-keys',
        'console',
        'dns',
        'doctor',
        '--version',
        'standard error',
      ],
    },
    { args: ['start'], says: ['Run the service'] },
    { args: ['migrate'], says: ['Bring the tables', '--plan'] },
    { args: ['upgrade-database'], says: ['--programs <folder>', 'Stop the service first'] },
    { args: ['openapi'], says: ['--check'] },
    { args: ['configuration'], says: ['--check'] },
    { args: ['teams'], says: ['create', 'list', 'rename'] },
    { args: ['teams', 'create'], says: ['<name>'] },
    { args: ['teams', 'list'], says: ['List all teams.', '--json'] },
    { args: ['teams', 'rename'], says: ['<id>', '<name>'] },
    { args: ['keys'], says: ['create', 'list', 'revoke'] },
    { args: ['keys', 'create'], says: ['--team', '--name', '--permission', 'full_access', 'sending_access', '--domain'] },
    { args: ['keys', 'list'], says: ['--team', '--json'] },
    { args: ['keys', 'revoke'], says: ['<id>', '--team'] },
    { args: ['domains'], says: ['list', 'show', 'rotate-dkim'] },
    { args: ['domains', 'list'], says: ['--team', '--json'] },
    { args: ['domains', 'show'], says: ['<domain>', '--team', '--json', 'retired'] },
    { args: ['domains', 'rotate-dkim'], says: ['<domain>', '--team', '72 hours', '7 days'] },
    { args: ['suppressions'], says: ['list', 'add', 'remove', 'import', 'export'] },
    { args: ['suppressions', 'list'], says: ['--team', '--origin', '--limit', '--json'] },
    { args: ['suppressions', 'import'], says: ['<file>', '--team', 'standard input', 'their first line, which names the columns'] },
    { args: ['import'], says: ['suppressions', 'resend'] },
    { args: ['import', 'resend'], says: ['--team', '--plan', '--url', 'RESEND_API_KEY'] },
    { args: ['import', 'suppressions'], says: ['<file>', '--team', '--column', '--origin', 'Postmark'] },
    { args: ['automations'], says: ['tell-again'] },
    { args: ['automations', 'tell-again'], says: ['--team', 'set aside'] },
    { args: ['webhooks'], says: ['list', 'test', 'replay', 'listen'] },
    { args: ['webhooks', 'list'], says: ['--team', '--json'] },
    { args: ['webhooks', 'test'], says: ['<id>', '<type>', '--team'] },
    { args: ['webhooks', 'replay'], says: ['<id>', '--since', '--team'] },
    { args: ['webhooks', 'listen'], says: ['--forward-to', '--url', '--key', '--events'] },
    { args: ['queue'], says: ['list', 'show', 'retry', 'pause', 'resume'] },
    { args: ['queue', 'list'], says: ['--team', '--class', '--destination', '--limit', '--json', 'parked'] },
    { args: ['queue', 'show'], says: ['<email id>'] },
    { args: ['queue', 'retry'], says: ['--team', '--class', '--destination', '--all'] },
    { args: ['queue', 'pause'], says: ['--team', '--class', '--destination', '--all'] },
    { args: ['metrics'], says: ['recount'] },
    { args: ['metrics', 'recount'], says: ['<day>', '--correct', '--json'] },
    { args: ['queue', 'resume'], says: ['--team', '--class', '--destination', '--all'] },
    { args: ['feedback'], says: ['list'] },
    { args: ['feedback', 'list'], says: ['--verdict', '--limit', '--json', 'unmatched'] },
    { args: ['data-keys'], says: ['list', 'rotate', 'retire'] },
    { args: ['data-keys', 'list'], says: ['--json', 'signing'] },
    { args: ['data-keys', 'rotate'], says: ['<purpose>', 'share', 'unsubscribe'] },
    { args: ['data-keys', 'retire'], says: ['<purpose>', '<version>'] },
    { args: ['dns'], says: ['--zone', '--json'] },
    { args: ['doctor'], says: ['--json', 'problem', 'PROBE_DOMAIN'] },
    { args: ['console'], says: ['link'] },
    { args: ['console', 'link'], says: ['--team', 'once', '60 minutes'] },
  ])('of `$args` names what can be given, touches nothing and ends with 0', async ({ args, says }) => {
    const { status, out, errors } = await command(...args, '--help')

    expect({ status, errors, missing: says.filter((word) => !out.includes(word)) }).toEqual({ status: 0, errors: '', missing: [] })
    expect(out).toContain(`Usage: ${['posthaste', ...args].join(' ')}`)
    expect(existsSync(`${folder()}/data`)).toBe(false)
  })
})

describe('--help of what measures and what breaks', () => {
  it.each([
    ['bench/run.ts', 'Usage: npm run bench -- [options] [parts...]', '"accept"'],
    ['bench/faults/run.ts', 'Usage: npm run faults -- [options] [faults...]', '"postgres-killed"'],
  ])('%s answers, and begins nothing', async (script, usage, part) => {
    const entry = fileURLToPath(new URL(`../../${script}`, import.meta.url))
    const { status, out, errors } = await run(['--help'], { folder: folder(), entry })
    expect({ status, errors }).toEqual({ status: 0, errors: '' })
    expect(out).toContain(usage)
    expect(out).toContain(part)
    expect(await run(['nothing'], { folder: folder(), entry })).toMatchObject({
      status: 2,
      out: '',
      errors: expect.stringContaining("argument value 'nothing' is invalid"),
    })
  })
})

describe('--version', () => {
  it.each(['--version', '-V'])('(%s) prints the version and touches nothing', async (option) => {
    const { version }: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(await commandAlone(option)).toEqual({ status: 0, out: `${version}\n`, errors: '' })
    expect(existsSync(`${folder()}/data`)).toBe(false)
  })
})

describe('a command that is not understood', () => {
  it.each([
    { args: [], says: 'Usage: posthaste' },
    { args: ['sned'], says: "error: unknown command 'sned'\nRun `posthaste --help` for help." },
    { args: ['teams', 'lsit'], says: "error: unknown command 'lsit'\n(Did you mean list?)\nRun `posthaste teams --help` for help." },
    { args: ['start', '--fast'], says: "error: unknown option '--fast'" },
    { args: ['keys', 'make'], says: "error: unknown command 'make'" },
    { args: ['teams', 'create'], says: "error: missing required argument 'name'" },
    { args: ['keys', 'create', '--permission', 'admin'], says: 'Allowed choices are full_access, sending_access.' },
    {
      args: ['data-keys', 'rotate', 'letters'],
      says: 'Allowed choices are download, share, session, inline-image, unsubscribe, opt-out, dkim, return-path, tracking, webhook, oauth, installation-mail, audit.',
    },
    { args: ['keys', 'list', 'extra'], says: 'error: too many arguments' },
  ])('`$args` ends with 2, says why on standard error, and does nothing', async ({ args, says }) => {
    const { status, out, errors } = await command(...args)

    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(errors).toContain(says)
    expect(existsSync(`${folder()}/data`)).toBe(false)
  })
})

describe('an older Node.js', () => {
  const toOlder = (version: string) => `Object.defineProperty(process.versions, 'node', { value: '${version}' })`

  it('is told in one line what to do, and ends with 1', async () => {
    // A module that is loaded before everything else tells an older version, so that the test does not depend on what the machine has.
    const ended = await run(['teams', 'list'], {
      folder: folder(),
      environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(toOlder('22.1.0'))}` },
    })

    expect(ended).toEqual({
      status: 1,
      out: '',
      errors: 'Posthaste needs Node.js 24 or newer; this is 22.1.0. Start it with `npm start`, which brings its own.\n',
    })
  })

  it.runIf(systemNodeMajor < 24)('of the system itself can read the entry and is told the same', async () => {
    const ended = await run(['teams', 'list'], { folder: folder(), node: SYSTEM_NODE })

    expect(ended).toEqual({
      status: 1,
      out: '',
      errors: expect.stringMatching(
        /^Posthaste needs Node\.js 24 or newer; this is \d+\.\d+\.\d+\. Start it with `npm start`, which brings its own\.\n$/,
      ),
    })
  })
})
