import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readResource } from '../../../src/lib/source-files.ts'
import { StartupProblem } from '../../../src/lib/startup-problem.ts'
import { checkPhraseFiles, type PhraseFiles, type PhraseGroups } from '../../../src/mail/bounces/phrase-files.schema.ts'
import { holdsAny, plainWords } from '../../../src/mail/bounces/phrases.ts'
import { leastCpuMs } from '../../support/clocks/cpu.ts'

const contents = <Name extends keyof PhraseFiles>(name: Name): PhraseFiles[Name] => JSON.parse(readResource(`phrases/${name}.json`))

/** What the check says when one file has this text. */
function problemOf(name: keyof PhraseFiles, text: () => string): string {
  try {
    checkPhraseFiles((file) => (file === `phrases/${name}.json` ? text() : readResource(file)))
  } catch (error) {
    if (error instanceof StartupProblem) return error.message
    throw error
  }
  return 'none'
}

const changed = (name: keyof PhraseFiles, path: (string | number)[], value: unknown) => (): string => {
  const file = contents(name)
  const parent = path.slice(0, -1).reduce<Record<string | number, unknown>>((into, key) => into[key] as Record<string, unknown>, file)
  parent[path.at(-1) ?? ''] = value
  return JSON.stringify(file)
}

describe('the check of the phrases', () => {
  it('accepts the files as they are', () => expect(() => checkPhraseFiles()).not.toThrow())

  it.each<[string, keyof PhraseFiles, () => string, string]>([
    ['a file that is not there', 'notices', () => readFileSync('resources/nothing.json', 'utf8'), 'ENOENT: no such file'],
    ['a file that was cut off', 'answers', () => readResource('phrases/answers.json').slice(0, 900), 'Unexpected end of JSON input'],
    ['a file of another kind', 'notices', () => '[]', 'all of it: Expected object'],
    ['a list that is missing', 'notices', changed('notices', ['lists', 'finalWords'], undefined), '/lists/finalWords: '],
    ['a list of another version', 'notices', changed('notices', ['lists', 'others'], {}), '/lists/others: Unexpected property'],
    ['an empty list', 'faults', changed('faults', ['words', 'sender'], []), '/words/sender: '],
    [
      'a fault that is none',
      'faults',
      changed('faults', ['beforeCodes', 3, 'fault'], 'rates'),
      '/beforeCodes/3/fault: Write one of: address, ',
    ],
    ['words that are none', 'faults', changed('faults', ['afterCodes', 0, 'near'], ['server', 'unusable']), '/afterCodes/0/near/0: '],
    ...['*unknown', ' * unknown', 'user **', 'user * ', 'two  spaces', 'User unknown', '', 'a'].map(
      (phrase): [string, keyof PhraseFiles, () => string, string] => [
        `the phrase ${JSON.stringify(phrase)}`,
        'answers',
        changed('answers', ['lists', 'challengeWords', 'phrases', 'English'], ['spam', phrase]),
        '/lists/challengeWords/phrases/English/1: Write at least two characters',
      ],
    ),
  ])('names the file and the entry of %s', (_what, name, text, said) => {
    const [problem, start] = [problemOf(name, text), `resources/phrases/${name}.json is not valid: ${said}`]
    expect(problem.slice(0, start.length)).toBe(start)
    expect(problem).toMatch(/[^.]\. Restore the file of this version\.$/)
  })
})

describe('a phrase', () => {
  const { words, beforeCodes, afterCodes } = contents('faults')
  const inFile = (groups: PhraseGroups) => Object.values(groups).flat()
  const listed = [
    ...[...beforeCodes, ...afterCodes].flatMap(({ phrases }) => inFile(phrases)),
    ...Object.values(words).flat(),
    ...Object.values({ ...contents('notices').lists, ...contents('answers').lists }).flatMap(({ phrases }) => inFile(phrases)),
  ]

  it('is found in the text that it was taken from', () => {
    const lost = listed.filter((phrase) => !holdsAny(plainWords(phrase.replace('*', 'x')), [phrase]))
    expect(lost).toEqual([])
  })

  it('is searched quickly in a text that begins it again and again', async () => {
    const slow: string[] = []
    for (const phrase of listed) {
      const parts = phrase.split('*').map((part) => part.trim())
      // All of its parts but the last, which the search therefore never ends with.
      const words = plainWords(`${parts.slice(0, -1).join(' x ')} `.repeat(2_000))
      if ((await leastCpuMs(() => holdsAny(words, [phrase]), SEARCH_CPU_MS_MAX)) > SEARCH_CPU_MS_MAX) slow.push(phrase)
    }
    expect(slow).toEqual([])
  })
})

/** Fifty times what the slowest takes. */
const SEARCH_CPU_MS_MAX = 200
