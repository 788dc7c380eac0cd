// What a newcomer reads about the configuration is what the service reads.
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { Environment } from '../../src/config.ts'
import { createProgram } from '../../src/main.ts'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

type Variable = { description?: string; default?: string | number }
const variables = Object.entries<Variable>(Environment.properties)
const meanings = variables.map(([name, { description }]) => ({ name, description }))

describe('README.md', () => {
  const rows = [...read('README.md').matchAll(/^\| `([A-Z_]+)` *\| (.*?) *\| (.*?) *\|$/gm)]

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

describe('the commands', () => {
  const inner = (command: Command): Command[] => (command.commands.length === 0 ? [command] : command.commands.flatMap(inner))
  const nameOf = (command: Command): string => (command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name())
  const commands = inner(createProgram()).map(nameOf)

  it('are all in README.md, and no other', () => {
    const table = read('README.md').split('| command ')[1]?.split('\n\n')[0] ?? ''
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
    const shown = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'docs/benchmarks.md', 'docs/faults.md'].flatMap((name) =>
      [...read(name).matchAll(/posthaste -- ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)/g)].map(([, words = '']) => words),
    )
    expect(shown.filter((words) => !commands.some((name) => words === name || words.startsWith(`${name} `)))).toEqual([])
  })
})
