// The actions of ALTER TABLE: how heavy each is (PostgreSQL, "ALTER TABLE", Notes).
import { referencedIn } from './statements.ts'
import type { LockMode, Work } from './table-locks.ts'

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
  const all = atCommas(actions).map((action) => actionOf(table, action))
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

function actionOf(table: string, action: string): AlterAction {
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
