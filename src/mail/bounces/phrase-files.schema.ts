// What the files of resources/phrases hold, and the check of it at the start of the service.
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readResource } from '../../lib/source-files.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { FAULTS } from './phrases.ts'

/** Words with one space between them, at most one before and after. A search for a phrase that begins with a gap would never end. */
const PHRASE = /^ ?[^\s*\p{Lu}]+(?:(?: | ?\* ?)[^\s*\p{Lu}]+)* ?$/u

const strict = { additionalProperties: false } as const

const Phrase = Type.RegExp(PHRASE, {
  minLength: 2,
  'x-rule': 'Write at least two characters: lowercase words with one space between them, or a `*` for up to sixty characters',
})
const PhraseList = Type.Array(Phrase, { minItems: 1 })

/** By language, or by who writes so. */
const PhraseGroups = Type.Record(Type.String(), PhraseList, { minProperties: 1 })

const About = Type.Optional(Type.String())

const List = Type.Object({ about: About, phrases: PhraseGroups }, strict)

const FaultRow = Type.Object(
  {
    fault: Type.Union(
      FAULTS.map((fault) => Type.Literal(fault)),
      { 'x-rule': `Write one of: ${FAULTS.join(', ')}` },
    ),
    about: About,
    /** Each of the one near each of the other. */
    near: Type.Optional(Type.Tuple([Type.Union([Type.Literal('recipient'), Type.Literal('sender')]), Type.Literal('unusable')])),
    phrases: PhraseGroups,
  },
  strict,
)

const SCHEMAS = {
  faults: Type.Object(
    {
      about: About,
      words: Type.Object({ recipient: PhraseList, sender: PhraseList, unusable: PhraseList }, strict),
      spamTraps: List,
      beforeCodes: Type.Array(FaultRow, { minItems: 1 }),
      afterCodes: Type.Array(FaultRow, { minItems: 1 }),
    },
    strict,
  ),
  notices: Type.Object(
    {
      about: About,
      lists: Type.Object(
        {
          daemons: List,
          failureSubjects: List,
          failureWords: List,
          delaySubjects: List,
          delayWords: List,
          finalWords: List,
          successSubjects: List,
          successWords: List,
          announcements: List,
        },
        strict,
      ),
    },
    strict,
  ),
  answers: Type.Object(
    {
      about: About,
      lists: Type.Object({ autoReplySubjects: List, autoReplyWords: List, challengeSenders: List, challengeWords: List }, strict),
    },
    strict,
  ),
}

export type PhraseGroups = Static<typeof PhraseGroups>
export type PhraseFiles = { [Name in keyof typeof SCHEMAS]: Static<(typeof SCHEMAS)[Name]> }

/**
 * By TypeBox itself: each start would wait ten times as long for Ajv to compile these schemas.
 *
 * @throws StartupProblem about the first entry of a file that is wrong.
 */
export function checkPhraseFiles(read: (name: string) => string = readResource): void {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const file = `phrases/${name}.json`
    const problem = (what: string, cause?: unknown) =>
      new StartupProblem(`resources/${file} is not valid: ${what}. Restore the file of this version.`, { cause })
    const wrong = Value.Errors(schema, parsed(read, file, problem)).First()
    if (wrong) throw problem(`${wrong.path || 'all of it'}: ${wrong.schema['x-rule'] ?? wrong.message}`)
  }
}

function parsed(read: (name: string) => string, file: string, problem: (what: string, cause: unknown) => StartupProblem): unknown {
  try {
    return JSON.parse(read(file))
  } catch (error) {
    throw problem(error instanceof Error ? error.message : String(error), error)
  }
}
