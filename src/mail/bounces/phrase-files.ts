// The phrases by which answers and reports of other mail servers are recognized, from resources/phrases. Each file is read when it is first needed.
import { readResource } from '../../lib/source-files.ts'
import type { PhraseFiles, PhraseGroups } from './phrase-files.schema.ts'
import type { FaultTexts, Phrases } from './phrases.ts'

export type FaultTables = {
  /** These say what a refusal is about whatever its codes are. */
  beforeCodes: readonly FaultTexts[]
  /** These are too common to contradict a code. */
  afterCodes: readonly FaultTexts[]
}

/** The words of servers and providers about refusals. A row that stands higher wins. */
export const faultTexts = (): FaultTables => {
  faultTables ??= readFaultTables()
  return faultTables
}
let faultTables: FaultTables | undefined

/** The words of servers about spam traps. */
export const spamTrapPhrases = (): Phrases => {
  spamTraps ??= joined(readPhraseFile('faults').spamTraps.phrases)
  return spamTraps
}
let spamTraps: Phrases | undefined

/** The words by which notices of servers are recognized. */
export const noticePhrases = createLists('notices')

/** The words by which answers of programs are recognized: out-of-office notices, tickets, and questions whether the sender is a person. */
export const answerPhrases = createLists('answers')

/** `checkPhraseFiles` has checked it when the service started. A thread that reads reports does not load what checks. */
const readPhraseFile = <Name extends keyof PhraseFiles>(name: Name): PhraseFiles[Name] => JSON.parse(readResource(`phrases/${name}.json`))

function readFaultTables(): FaultTables {
  const { words, beforeCodes, afterCodes } = readPhraseFile('faults')
  const toTexts = ({ fault, near, phrases }: PhraseFiles['faults']['beforeCodes'][number]): FaultTexts => ({
    fault,
    phrases: near ? [...joined(phrases), ...eachNear(words[near[0]], words[near[1]])] : joined(phrases),
  })
  return { beforeCodes: beforeCodes.map(toTexts), afterCodes: afterCodes.map(toTexts) }
}

/** Each of these near each of those, in either order. */
const eachNear = (these: Phrases, those: Phrases): Phrases =>
  these.flatMap((one) => those.flatMap((other) => [`${one}*${other}`, `${other}*${one}`]))

function createLists<Name extends 'notices' | 'answers'>(name: Name): (list: keyof PhraseFiles[Name]['lists']) => Phrases {
  let lists: Map<PropertyKey, Phrases> | undefined
  return (list) => {
    lists ??= new Map(Object.entries(readPhraseFile(name).lists).map(([each, { phrases }]) => [each, joined(phrases)]))
    const phrases = lists.get(list)
    if (!phrases) throw new Error(`resources/phrases/${name}.json has no list ${String(list)}`)
    return phrases
  }
}

const joined = (groups: PhraseGroups): Phrases => Object.values(groups).flat()
