// What a newcomer reads about the configuration is what the service reads.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Environment } from '../../src/config.ts'

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
