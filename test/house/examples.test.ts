// The programs in examples/: short, complete, without a secret, and the one for Node.js is run.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { inheritedEnvironment } from '../support/processes/processes.ts'
import { startTestService } from '../support/servers/service.ts'

const README = readFileSync('examples/README.md', 'utf8')
const programs = readdirSync('examples', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== 'README.md')
  .map((entry) => `${entry.parentPath}/${entry.name}`.replace('examples/', ''))
  .toSorted()

const LINES_MAX = 40

describe('the examples', () => {
  it('are those that their table links to, each with a line', () => {
    const linked = [...README.matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, path]) => path)
    expect(linked.toSorted()).toEqual(programs)
    expect(new Set(programs.map((path) => path.split('/')[0])).size).toBe(8)
  })

  it.each(programs)('%s is short, has no secret, and takes the key from the environment', (path) => {
    const text = readFileSync(`examples/${path}`, 'utf8')
    const lines = text.split('\n')
    expect(lines.length).toBeLessThanOrEqual(LINES_MAX)
    expect(lines.filter((line) => /[ \t\r]$/.test(line))).toEqual([])
    expect(text.endsWith('\n') && !text.endsWith('\n\n')).toBe(true)
    expect(text).toContain('POSTHASTE_KEY')
    expect(text).not.toMatch(/\bre_\w|whsec_/)
    // Mail of an example that is run against a service that delivers arrives at no one.
    const domains = [...text.matchAll(/[\w.]+@([\w.]+)/g)].map(([, domain]) => domain)
    expect(new Set(domains)).toEqual(new Set(['example.com']))
  })

  it('send: the one for Node.js prints the id of an email that was accepted', async () => {
    const service = await startTestService()
    try {
      const environment = { ...inheritedEnvironment(), POSTHASTE_URL: service.url, POSTHASTE_KEY: service.sendingToken }
      const { stdout } = await promisify(execFile)(process.execPath, ['send.mjs'], {
        cwd: dirname('examples/node/send.mjs'),
        env: environment,
      })
      const { body } = await service.call('GET', `/emails/${stdout.trim()}`)
      expect(body).toMatchObject({ subject: 'Hello from Node.js', to: ['ada@example.com'] })
    } finally {
      await service.close()
    }
  })
})
