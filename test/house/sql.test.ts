import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '../../src')

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path))
    .sort()

const withoutComments = (source: string): string => source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')

/** A text that begins as a statement does. Prisma is asked with `select:`. */
const SQL =
  /(?<!\\)['"`(]\s*(?:select (?:[a-z"$*(]|\d)|insert into |delete from |update [a-z_]+ |with [a-z_]+ as |with recursive |lock table |listen )/

const holdsSql = (path: string): boolean => SQL.test(withoutComments(readFileSync(path, 'utf8')))

/** `in (select … limit …)`: PostgreSQL may answer it again for each row of the table. As `= any(array(select …))` it is answered once. */
const LIMITED = /\bin \(\s*select (?:[^()`]|\([^()`]*\))*\blimit /

describe('plain SQL', () => {
  it('is in repositories, in their fragments, and in what the database is made and read with', () => {
    const elsewhere = sourcesIn(SRC)
      .map((path) => relative(SRC, path))
      .filter((path) => !/^(?:db|generated)\/|\.(?:repository|sql)\.ts$/.test(path) && holdsSql(join(SRC, path)))
    expect(elsewhere).toEqual([])
  })

  it('asks once for the rows of a limited number that it changes', () => {
    const found = sourcesIn(SRC).filter((path) => LIMITED.test(readFileSync(path, 'utf8')))
    expect(found.map((path) => relative(SRC, path))).toEqual([])
    expect(LIMITED.test('delete from t where id in (\n select id from t where a < now() limit $1)')).toBe(true)
  })

  it('is recognized', () => {
    const texts = ["execute('select 1')", 'const A = `\n  with due as (select id from t)`', '`delete from t`', "'update t set a = 1'"]
    expect(texts.map((text) => SQL.test(text))).toEqual([true, true, true, true])
    const others = ['findMany({ select: { id: true } })', '// `delete from t`', '`\\`before\\` select a page`']
    expect(others.filter((text) => SQL.test(withoutComments(text)))).toEqual([])
  })
})
