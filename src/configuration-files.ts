import { Environment } from './config.ts'
import type { GeneratedFiles } from './generated-files.ts'

export function configurationFiles(): GeneratedFiles {
  return {
    source: 'src/config.ts',
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

| variable | default | meaning |
| --- | --- | --- |
${variables.map(({ name, description, value }) => `| \`${name}\` | ${value && `\`${value}\``} | ${description} |`).join('\n')}

\`npm run configuration\` writes this page and \`.env.example\` from \`src/config.ts\`.
`

const example =
  (): string => `# Copy this file to .env and uncomment what you need. Each line shows the default; variables without a value have none.

${variables.map(({ name, description, value }) => `# ${description}\n#${name}=${value}`).join('\n\n')}
`
