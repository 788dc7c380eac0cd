// What a statement of a migration does to tables that are in use: its locks, its work, and whether programs that do
// not know the migration can live with it. Where the words do not say it, the heavier answer is given.
import { type AlterAction, alterTable } from './alter-table.ts'
import { type MigrationStatement, referencedIn } from './statements.ts'
import type { LockMode, Work } from './table-locks.ts'

export type Effect = {
  /** For people; null if it is not known, and then nothing else of it is. */
  does: string | null
  /** The locked tables. A lock on an index is counted for its table. */
  locks: { table: string; mode: LockMode }[]
  works: Work[]
  /** Whether it only adds what programs that do not know it need not know. */
  isServing: boolean
  /** How the statement begins. */
  words: string
  /** The table that it makes. */
  makes?: string
  /** What it calls a table, or an index of a table, from then on. */
  names?: { name: string; table: string }
}

/** One for each thing that it does. */
export const effectsOf = ({ text, declared }: MigrationStatement): Effect[] =>
  knownEffects(text).map((effect) => ({ ...effect, does: effect.does ?? declared, words: text.slice(0, WORDS_LENGTH_MAX) }))

const WORDS_LENGTH_MAX = 80

type KnownEffect = Omit<Effect, 'words'>

function knownEffects(text: string): KnownEffect[] {
  for (const [pattern, read] of FORMS) {
    const match = pattern.exec(text)
    const effects = match && read(match)
    if (effects) return effects
  }
  return [{ does: null, locks: [], works: [], isServing: false }]
}

type Form = [RegExp, (match: RegExpExecArray) => KnownEffect[] | null]

const NAME = '(?:only )?(?:if (?:not )?exists )?([\\w.]+)'

const FORMS: Form[] = [
  [new RegExp(`^create table ${NAME}`), createTable],
  [new RegExp(`^create (unique )?index (concurrently )?${NAME} on ${NAME}`), createIndex],
  [/^drop (table|index|trigger|function|view|sequence|type) /, drop],
  [new RegExp(`^alter table ${NAME} (.*)$`), alter],
  [
    new RegExp(`^alter index ${NAME} rename to (\\w+)$`),
    ([, table = '', name = '']) => [
      {
        does: `renames the index ${table} to ${name}`,
        locks: [{ table, mode: 'share update exclusive' }],
        works: [],
        isServing: true,
        names: { name, table },
      },
    ],
  ],
  [new RegExp(`^update ${NAME} `), (match) => changeRows(match, 'changes rows of', 'rewrite')],
  [new RegExp(`^delete from ${NAME}`), (match) => changeRows(match, 'removes rows of', 'read')],
  [new RegExp(`^insert into ${NAME}`), (match) => changeRows(match, 'adds rows to', null)],
  [
    /^create (or replace )?function ([\w.]+)/,
    ([, replaces, name = '']) => [short(`${replaces ? 'replaces' : 'makes'} the function ${name}`, !replaces)],
  ],
  [/^create trigger ([\w.]+) .*? on ([\w.]+) /, createTrigger],
  [/^comment on /, () => [short('writes a comment', true)]],
  [/^set local /, () => [short('sets a limit for itself', true)]],
]

/** Takes no lock that anyone waits for. */
const short = (does: string, isServing: boolean): KnownEffect => ({ does, locks: [], works: [], isServing })

function createTable({ 1: name = '', input }: RegExpExecArray): KnownEffect[] {
  const parent = /^[^(]*? partition of ([\w.]+)/.exec(input)?.[1]
  const referred = referencedIn(input)
  const locks: Effect['locks'] = [
    ...(parent === undefined ? [] : [{ table: parent, mode: 'access exclusive' as const }]),
    ...referred.map((table) => ({ table, mode: 'share row exclusive' as const })),
  ]
  return [
    {
      does: `makes the table ${name}`,
      locks,
      works: readsOf(input),
      isServing: parent === undefined && referred.length === 0,
      makes: name,
    },
  ]
}

const readsOf = (text: string): Work[] =>
  [...text.matchAll(/ (?:from|join|using) ([a-z_][\w.]*)\b(?! \()/g)].map(([, table = '']) => ({ table, kind: 'read' as const }))

function createIndex([, unique, concurrently, name = '', table = '']: RegExpExecArray): KnownEffect[] {
  const mode: LockMode = concurrently ? 'share update exclusive' : 'share'
  return [
    {
      does: `builds the index ${name} of ${table}`,
      locks: [{ table, mode }],
      works: [{ table, kind: 'index' }],
      isServing: !unique,
      names: { name, table },
    },
  ]
}

function drop({ 1: kind = '', input }: RegExpExecArray): KnownEffect[] | null {
  const words = input.slice(`drop ${kind} `.length).replace(/^(?:concurrently )?(?:if exists )?/, '')
  if (kind === 'trigger') {
    const [name = '', table] = words.split(' on ')
    return table === undefined ? null : [exclusive(`drops the trigger ${name} of ${table}`, table.split(' ')[0] ?? '')]
  }
  const names = words.replace(/ (?:cascade|restrict)$/, '').split(' , ')
  if (kind === 'table' || kind === 'index') return names.map((name) => exclusive(`drops the ${kind} ${name}`, name))
  return [short(`drops the ${kind} ${names.map((name) => name.split(' ')[0]).join(', ')}`, false)]
}

/** For a moment; the lock stays until the migration ends. */
const exclusive = (does: string, table: string): KnownEffect => ({
  does,
  locks: [{ table, mode: 'access exclusive' }],
  works: [],
  isServing: false,
})

function alter([, table = '', actions = '']: RegExpExecArray): KnownEffect[] {
  return alterTable(table, actions).map(
    ({ mode = 'access exclusive', works = [], others = [], isServing = false, does, renamedTo }: AlterAction) =>
      does === null
        ? { does, locks: [], works: [], isServing: false }
        : {
            does,
            locks: [{ table, mode }, ...others.map((other) => ({ table: other, mode }))],
            works: works.map((kind) => ({ table, kind })),
            isServing,
            ...(renamedTo === undefined ? {} : { names: { name: renamedTo, table } }),
          },
  )
}

function changeRows({ 1: table = '', input }: RegExpExecArray, does: string, own: Work['kind'] | null): KnownEffect[] {
  const works = [...(own === null ? [] : [{ table, kind: own }]), ...readsOf(input).filter((work) => work.table !== table)]
  return [{ does: `${does} ${table}`, locks: [{ table, mode: 'row exclusive' }], works, isServing: false }]
}

function createTrigger([, name = '', table = '']: RegExpExecArray): KnownEffect[] {
  return [{ does: `makes the trigger ${name} of ${table}`, locks: [{ table, mode: 'share row exclusive' }], works: [], isServing: false }]
}
