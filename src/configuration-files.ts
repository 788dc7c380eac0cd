import { secretFileNames } from './configuration/secret-files.ts'
import { Environment } from './environment.ts'
import type { GeneratedFiles } from './generated-files.ts'

export function configurationFiles(): GeneratedFiles {
  return {
    source: 'src/environment.ts',
    command: 'npm run configuration',
    texts: new Map([
      ['docs/configuration.md', page()],
      ['.env.example', example()],
    ]),
  }
}

type Variable = { description?: string; default?: string | number }

const variables = Object.entries<Variable>(Environment.properties).map(([name, { description = '', default: value = '' }]) => ({
  name,
  description,
  value: String(value),
}))

const page = (): string => `# Configuration

Set environment variables, or write them into a file \`.env\` in the folder that you start in. [.env.example](../.env.example) is one to copy. What is set outside the file wins.

A wrong value stops the start with one line that says what is allowed. The start and every command point out a name that resembles one of these: \`SMPT_RELAY_URL: did you mean SMTP_RELAY_URL?\`

A secret can be a file, as Docker and Kubernetes mount it: \`NAME_FILE\` names the file, in place of \`NAME\`. A line break at its end is not part of the secret. Both set, or a file that cannot be read, stop the start. It is so for ${secretFileNames.map((name) => `\`${name}\``).join(', ')}.

${table(
  ['variable', 'default', 'meaning'],
  variables.map(({ name, description, value }) => [`\`${name}\``, value && `\`${value}\``, description]),
)}

\`npm run configuration\` writes this page and \`.env.example\` from \`src/environment.ts\`.
`

const example =
  (): string => `# Copy this file to .env and uncomment what you need. Each line shows the default; variables without a value have none.
# A secret can be a file: DATABASE_URL_FILE=/run/secrets/database-url in place of DATABASE_URL, and so on.

${variables.map(({ name, description, value }) => `# ${description}\n#${name}=${value}`).join('\n\n')}
`

/** A table in the form of the formatter: each column as wide as its widest cell. */
function table(headings: string[], rows: string[][]): string {
  const widths = headings.map((_, column) => Math.max(...[headings, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(headings), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
