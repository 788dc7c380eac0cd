// Splits the SQL of a migration into statements, as far as its plan has to understand them.

export type MigrationStatement = {
  /** Its words and marks in lower case, one blank between them, names without quotation marks. A text, or the body of a function, is `''`. */
  text: string
  /** What a comment line `-- plan: ...` before or in it says that it does. */
  declared: string | null
}

/** Comments, texts (`E'...'` knows backslashes), names in quotation marks, bodies between `$$`, words, and any other mark. */
const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|\be'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|[\w.]+|\S/gi

export function readStatements(sql: string): MigrationStatement[] {
  const statements: MigrationStatement[] = []
  let words: string[] = []
  let declared: string | null = null
  function end(): void {
    if (words.length > 0) statements.push({ text: words.join(' '), declared })
    words = []
    declared = null
  }
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token === ';') end()
    else if (token.startsWith('--')) declared = declaration(token, 'plan') ?? declared
    else if (!token.startsWith('/*')) words.push(word(token))
  }
  end()
  return statements
}

/** What the comment lines `-- name: ...` of a migration declare; the last one counts. */
export function declaredIn(sql: string, name: string): string | null {
  const comments = [...sql.matchAll(TOKEN)].map(([token]) => token).filter((token) => token.startsWith('--'))
  return comments.reduce<string | null>((found, comment) => declaration(comment, name) ?? found, null)
}

function declaration(comment: string, name: string): string | null {
  const text = comment.slice(2).trim()
  return text.startsWith(`${name}: `) ? text.slice(name.length + 2).trim() : null
}

function word(token: string): string {
  if (/^(?:e?'|\$\w*\$)/i.test(token)) return "''"
  return (token.startsWith('"') ? token.slice(1, -1) : token).toLowerCase().replace(/^public\./, '')
}

/** The tables of foreign keys. */
export const referencedIn = (text: string): string[] => [...text.matchAll(/ references ([\w.]+)/g)].map(([, table = '']) => table)

// How statements lock tables and go through them (PostgreSQL, "Explicit Locking").

/** Ordered from the weakest to the strongest. */
export const LOCK_MODES = ['row exclusive', 'share update exclusive', 'share', 'share row exclusive', 'access exclusive'] as const
export type LockMode = (typeof LOCK_MODES)[number]

/** How a table is gone through: read, read for an index, or written anew with its indexes. */
export type Work = { table: string; kind: 'read' | 'index' | 'rewrite' }

// The actions of ALTER TABLE: how heavy each is (PostgreSQL, "ALTER TABLE", Notes).

/** `mode` is ACCESS EXCLUSIVE and `isServing` false unless they are given. `others`: tables that it locks likewise. `renamedTo`: of the table. */
export type AlterAction = {
  does: string | null
  mode?: LockMode
  works?: Work['kind'][]
  others?: string[]
  isServing?: boolean
  renamedTo?: string
}

/** One statement goes through the table once, to read it or to write it anew, however many of its actions ask for that. */
export function alterTable(table: string, actions: string): AlterAction[] {
  const all = atCommas(actions).map((action) => readAlterAction(table, action))
  const once = all.find(({ works }) => works?.includes('rewrite')) ?? all.find(({ works }) => works?.includes('read'))
  return all.map((action) => (action === once || action.works?.includes('index') ? action : { ...action, works: [] }))
}

/** Between commas outside of parentheses. */
function atCommas(text: string): string[] {
  const parts: string[][] = [[]]
  let depth = 0
  for (const word of text.split(' ')) {
    if (word === '(') depth += 1
    if (word === ')') depth -= 1
    if (word === ',' && depth === 0) parts.push([])
    else parts.at(-1)?.push(word)
  }
  return parts.map((words) => words.join(' '))
}

function readAlterAction(table: string, action: string): AlterAction {
  for (const [pattern, read] of ACTIONS) {
    const match = pattern.exec(action)
    if (match) return read(table, match)
  }
  return { does: null }
}

const ACTIONS: [RegExp, (table: string, match: RegExpExecArray) => AlterAction][] = [
  [/^add (?:constraint (\w+) )?(check|foreign key|primary key|unique|exclude)\b(.*)$/, addConstraint],
  [/^add (?:column )?(?:if not exists )?(\w+) (.*)$/, addColumn],
  [/^drop constraint (?:if exists )?(\w+)/, (table, [, name]) => ({ does: `drops the constraint ${name} of ${table}` })],
  [/^drop (?:column )?(?:if exists )?(\w+)/, (table, [, name]) => ({ does: `drops the column ${table}.${name}` })],
  [
    /^alter (?:column )?(\w+) (?:set data )?type /,
    (table, [, name]) => ({ does: `rewrites ${table} for the type of ${name}`, works: ['rewrite'] }),
  ],
  [
    /^alter (?:column )?(\w+) set not null/,
    (table, [, name]) => ({ does: `reads ${table} to see that ${name} is never null`, works: ['read'] }),
  ],
  [/^alter (?:column )?(\w+) (drop not null|(?:set|drop) default)/, (table, [, name, what]) => ({ does: `${table}.${name}: ${what}` })],
  [
    /^alter (?:column )?(\w+) set (statistics|storage|compression|\()/,
    (table, [, name]) => ({ does: `sets how ${table}.${name} is stored`, isServing: true }),
  ],
  [
    /^validate constraint (\w+)/,
    (table, [, name]) => ({ does: `reads ${table} to check ${name}`, mode: 'share update exclusive', works: ['read'] }),
  ],
  [/^(?:re)?set \(/, (table) => ({ does: `sets how ${table} is stored`, mode: 'share update exclusive', isServing: true })],
  [
    /^rename (?:column |constraint )?(?:(\w+) )?to (\w+)/,
    (table, [, from, to]) =>
      from === undefined
        ? { does: `renames ${table} to ${to}`, ...(to === undefined ? {} : { renamedTo: to }) }
        : { does: `renames ${table}.${from} to ${to}` },
  ],
  [/^set (?:logged|unlogged|tablespace|access method)/, (table) => ({ does: `rewrites ${table}`, works: ['rewrite'] })],
  [/^attach partition (\w+)/, (table, [, part = '']) => ({ does: `attaches ${part} to ${table}`, works: ['read'], others: [part] })],
  [/^detach partition (\w+)/, (table, [, part = '']) => ({ does: `detaches ${part} from ${table}`, others: [part] })],
  [/^(enable|disable) trigger/, (table, [, verb]) => ({ does: `${verb}s triggers of ${table}`, mode: 'share row exclusive' })],
]

function addConstraint(table: string, [, name = '', kind = '', rest = '']: RegExpExecArray): AlterAction {
  const does = `adds the ${kind} ${name ? `${name} ` : ''}to ${table}`
  const others = kind === 'foreign key' ? referencedIn(rest) : []
  const mode: LockMode = kind === 'foreign key' ? 'share row exclusive' : 'access exclusive'
  if (/ not valid$| using index \w+$/.test(rest)) return { does, mode, others }
  const isIndex = kind === 'primary key' || kind === 'unique' || kind === 'exclude'
  return {
    does: `${does}, for which it ${isIndex ? 'builds an index' : 'reads all rows'}`,
    mode,
    others,
    works: [isIndex ? 'index' : 'read'],
  }
}

function addColumn(table: string, [, name = '', rest = '']: RegExpExecArray): AlterAction {
  const does = `adds the column ${table}.${name}`
  const others = referencedIn(rest)
  if (/\b(?:primary key|unique)\b/.test(rest)) return { does: `${does}, for which it builds an index`, works: ['index'], others }
  const [, initial] = rest.split(' default ')
  if (/\b(?:generated|serial|bigserial|smallserial)\b/.test(rest) || (initial !== undefined && !isConstant(initial)))
    return { does: `rewrites ${table} for the column ${name}`, works: ['rewrite'], others }
  if (/\b(?:check|references)\b/.test(rest)) return { does: `${does}, for which it reads all rows`, works: ['read'], others }
  return { does, isServing: initial !== undefined || !/\bnot null\b/.test(rest) }
}

/** What is the same for every row: a text, a number, a truth, the time of the transaction. */
function isConstant(initial: string): boolean {
  const [value = '', ...types] = initial.replace(/ not null$/, '').split(' : : ')
  return /^(?:''|(?:- )?[\d.]+|true|false|null|now \( \)|current_timestamp)$/.test(value) && types.every((type) => /^[a-z_ ]+$/.test(type))
}

// What a statement of a migration does to tables that are in use: its locks, its work, and whether programs that do
// not know the migration can live with it. Where the words do not say it, the heavier answer is given.

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
export const readEffects = ({ text, declared }: MigrationStatement): Effect[] =>
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
    ([, replaces, name = '']) => [short(`${replaces ? 'replaces' : 'creates'} the function ${name}`, !replaces)],
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
      does: `creates the table ${name}`,
      locks,
      works: findReads(input),
      isServing: parent === undefined && referred.length === 0,
      makes: name,
    },
  ]
}

const findReads = (text: string): Work[] =>
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
  const works = [...(own === null ? [] : [{ table, kind: own }]), ...findReads(input).filter((work) => work.table !== table)]
  return [{ does: `${does} ${table}`, locks: [{ table, mode: 'row exclusive' }], works, isServing: false }]
}

function createTrigger([, name = '', table = '']: RegExpExecArray): KnownEffect[] {
  return [{ does: `creates the trigger ${name} of ${table}`, locks: [{ table, mode: 'share row exclusive' }], works: [], isServing: false }]
}
