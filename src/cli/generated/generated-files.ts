// How the API describes itself: its application is built without a database, and asked for its document.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { buildApp } from '../../app.ts'
import { readConfig } from '../../config/config.ts'
import { Environment } from '../../config/environment.ts'
import { secretFileNames } from '../../config/secret-files.ts'
import { openDatabase } from '../../db/database.ts'
import { createRemoteFiles } from '../../io/http/remote-files.ts'
import { createLog } from '../../io/log.ts'
import { createMetrics } from '../../io/metrics.ts'
import { systemClock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { createLargeContentRoom } from '../../lib/limits/memory-plan.ts'
import { createBodyHashes } from '../../mail/dkim/body-hash.ts'
import { createOperatorKeys } from '../../modules/accounts/operator-keys.ts'
import { createInstallationMailBox } from '../../modules/accounts/people/installation-mail.service.ts'
import { createAddressHash } from '../../modules/audience/address-hashes.ts'
import { createReportReader } from '../../modules/bounces/report-reader.ts'
import { createReturnPathTokens } from '../../modules/delivery/return-path.ts'
import { createLinks } from '../../modules/secrets/links.ts'
import { createTrackingTokens } from '../../modules/tracking/tracking-tokens.ts'
import { createWebhookRequests } from '../../modules/webhooks/sending/webhook-requests.client.ts'
import { createWebhookSecrets } from '../../modules/webhooks/webhook-secrets.ts'
import { createRepositories } from '../../repositories.ts'

// Files of the project that are generated, never written by hand, and compared in every check.

/** What some files are made from, the command that makes them, and their texts by path within the project. */
export type GeneratedFiles = { source: string; command: string; texts: Map<string, string> }

export async function writeFiles({ texts }: GeneratedFiles): Promise<void> {
  for (const [name, text] of texts) {
    await mkdir(dirname(pathOf(name)), { recursive: true })
    await writeFile(pathOf(name), text)
  }
}

/** @throws Failure with the first file that is missing or differs. */
export async function checkFiles({ source, command, texts }: GeneratedFiles): Promise<void> {
  for (const [name, text] of texts) {
    const committed = await readFile(pathOf(name), 'utf8').catch(() => '')
    if (committed !== text)
      throw new Failure('validation', `${pathOf(name)} differs from ${source}: run \`${command}\` and commit the result.`)
  }
}

const pathOf = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url))

export function configurationFiles(): GeneratedFiles {
  return {
    source: 'src/config/environment.ts',
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

A secret can be a file, as Docker and Kubernetes mount it: \`NAME_FILE\` names the file, in place of \`NAME\`. A line break at its end is not part of the secret, and it has one line of text in UTF-8. Both set, or a file that cannot be read, stop the start. It is so for ${secretFileNames.map((name) => `\`${name}\``).join(', ')}.

${table(
  ['variable', 'default', 'meaning'],
  variables.map(({ name, description, value }) => [`\`${name}\``, value && `\`${value}\``, description]),
)}

\`npm run configuration\` writes this page and \`.env.example\` from \`src/config/environment.ts\`.
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

/** The OpenAPI document, from an application without connections. */
export async function describeApi(): Promise<object> {
  // With the operator's key, because its operations are in the document too.
  const config = readConfig({ OPERATOR_KEY: 'x'.repeat(32) })
  const log = createLog({ logLevel: 'silent' })
  const database = openDatabase({ databaseUrl: 'postgres://nowhere.invalid', onError: () => {} })
  const nowhere = () => Promise.reject(new Error('This application only describes itself'))
  const app = await buildApp({
    config,
    largeContent: createLargeContentRoom(config.memory),
    publicUrl: 'http://localhost:3000',
    clock: systemClock,
    log,
    metrics: createMetrics(),
    tracing: null,
    installationMails: { send: nowhere, isCertain: nowhere },
    installationMailBox: createInstallationMailBox(() => ({ signing: null, keys: new Map() })),
    repositories: createRepositories(database, {
      clock: systemClock,
      installation: config.installation,
      softBounces: config.softBounces,
      onLost: () => {},
      onUnreadable: () => {},
    }),
    quotas: { limitsOf: nowhere, take: nowhere, end: () => {}, takeForBroadcast: nowhere },
    gateways: {
      blobs: {
        put: nowhere,
        putBeside: () => ({ put: nowhere, end: nowhere }),
        copy: nowhere,
        open: nowhere,
        remove: nowhere,
        discard: nowhere,
        size: nowhere,
        keysBefore: async function* () {},
        removeOrphans: nowhere,
      },
      storeMark: { where: '', read: nowhere, write: nowhere },
      clientDocuments: { fetchDocument: nowhere, close: nowhere },
      diskSpace: { isLow: async () => false, freeBytes: async () => 0, use: () => {} },
      domainDns: { ask: nowhere },
      identityProvider: null,
      remoteFiles: createRemoteFiles({ allowPrivateNetworks: false }),
      webhookEndpoints: { checkEndpoint: nowhere },
      reports: createReportReader(),
      received: { read: nowhere, close: async () => {} },
      submissions: { read: nowhere, close: async () => {} },
      texts: { do: nowhere, fillTemplate: nowhere },
      images: { encodeAnew: nowhere, close: async () => {} },
      filter: null,
      webhookRequests: createWebhookRequests({ allowPrivateNetworks: false }),
      relay: null,
      direct: null,
    },
    authorizationServer: {
      handle: nowhere,
      requestOf: nowhere,
      decide: nowhere,
      deviceRequestOf: nowhere,
      decideDevice: nowhere,
      recognize: nowhere,
    },
    auditKeys: () => ({ signing: null, keys: new Map() }),
    keyRecognition: { recognize: nowhere, countFailure: () => null, countRequest: () => null, countBytes: () => null },
    operatorKeys: createOperatorKeys({ keys: [], clock: systemClock }),
    segmentMetrics: nowhere,
    countBroadcasts: nowhere,
    countTemplates: nowhere,
    broadcastNames: nowhere,
    recordUnsubscribed: nowhere,
    templateContents: nowhere,
    links: createLinks(() => ({ signing: null, keys: new Map() }), systemClock),
    hashAddress: createAddressHash(new Map([[1, Buffer.alloc(32)]])),
    withBroadcastContent: nowhere,
    asBroadcastEmail: nowhere,
    previewOf: nowhere,
    senderIdentityOf: nowhere,
    returnPathTokens: createReturnPathTokens(() => ({ signing: null, keys: new Map() })),
    trackingTokens: createTrackingTokens(() => ({ signing: null, keys: new Map() })),
    webhookSecrets: createWebhookSecrets(() => ({ signing: null, keys: new Map() })),
    webhookFeed: { read: nowhere, end: () => {} },
    trackedEvents: { add: () => {}, flush: nowhere },
    bodyHashes: createBodyHashes(),
    makeDkimKey: nowhere,
    wakeWorkers: () => {},
    newerTables: { areThere: () => false, look: async () => false },
    isDraining: () => false,
    readiness: async () => ({ isReady: false, checks: {}, schema: null }),
    deliverability: nowhere,
  })
  await app.ready()
  const document = app.swagger()
  await app.close()
  await database.close()
  return document
}

export async function openapiFiles(): Promise<GeneratedFiles> {
  const document = await describeApi()
  return {
    source: 'the schemas',
    command: 'npm run openapi',
    texts: new Map([
      ['openapi/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
      ['openapi/openapi.yaml', stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 })],
    ]),
  }
}
