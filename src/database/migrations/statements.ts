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
