import { Argument, Command, InvalidArgumentError } from 'commander'
import { toTimestamp } from '../../lib/clock.ts'
import { retireDataKey, rotateDataKey } from '../../modules/secrets/data-keys.service.ts'
import {
  KEY_PURPOSES,
  KEYS_READ_EVERY_MS,
  type KeyPurpose,
  SIGNS_FROM_AGE_MS,
  signingVersion,
  whyNeverRetired,
} from '../../modules/secrets/data-keys.ts'
import type { Repositories } from '../../repositories.ts'
import { existingSecretKey, withRepositories } from '../database.ts'
import { formatTime, type JsonOption, jsonOption, print, printJson, printTable, say } from '../output.ts'

const WORDS = `
States:
  next     known to every process soon, and then the one that signs: ${SIGNS_FROM_AGE_MS / 1_000} s after it was made
  signing  new links and return paths are signed with it, or new private keys sealed
  opening  what it has signed or sealed is still opened; \`data-keys retire\` ends that`

const NEVER_RETIRED = KEY_PURPOSES.filter((purpose) => whyNeverRetired(purpose) !== null)

export function dataKeyCommands(): Command {
  const purpose = () => new Argument('<purpose>', 'what the key is for').choices(KEY_PURPOSES)
  const dataKeys = new Command('data-keys').description(
    'The keys that sign links and return paths, and seal private keys: list, rotate, retire.',
  )
  dataKeys
    .command('list')
    .description('List the versions of all keys. The keys themselves are not shown.')
    .addOption(jsonOption())
    .addHelpText('after', WORDS)
    .action(({ json }: JsonOption) => withRepositories((repositories) => list(repositories, json === true)))
  dataKeys
    .command('rotate')
    .description('Make a new version, without a restart. It signs after a minute; older ones open what they signed until they are retired.')
    .addArgument(purpose())
    .action((purpose: KeyPurpose) =>
      withRepositories(async (repositories, config) => {
        const secretKey = await existingSecretKey(config, repositories)
        const version = await rotateDataKey(repositories.dataKeys, { purpose, secretKey })
        print(
          `Version ${version} of ${purpose} was created. It signs in ${SIGNS_FROM_AGE_MS / 1_000} s, when every process knows it; what older versions signed or sealed stays valid.`,
        )
      }),
    )
  dataKeys
    .command('retire')
    .description(`Remove a version: links and return paths that it has signed stop working. Never for ${NEVER_RETIRED.join(', ')}.`)
    .addArgument(purpose())
    .argument('<version>', 'as `data-keys list` shows it', parseVersion)
    .action((purpose: KeyPurpose, version: number) =>
      withRepositories(async ({ dataKeys }) => {
        await retireDataKey(dataKeys, { purpose, version })
        print(
          `Version ${version} of ${purpose} is retired: within ${KEYS_READ_EVERY_MS / 1_000} s every process refuses what it has signed.`,
        )
      }),
    )
  return dataKeys
}

async function list({ dataKeys }: Repositories, isJson: boolean): Promise<void> {
  const rows = await dataKeys.list()
  const keys = rows.map(({ purpose, version, createdAt }) => {
    const signing = signingVersion(rows.filter((row) => row.purpose === purpose)) ?? version
    return { purpose, version, createdAt, state: version === signing ? 'signing' : version > signing ? 'next' : 'opening' }
  })
  if (isJson) return printJson(keys.map(({ createdAt, ...key }) => ({ ...key, created_at: toTimestamp(createdAt) })))
  if (keys.length === 0) return say('There are no keys yet: the first start of the service makes them.')
  printTable(
    ['PURPOSE', 'VERSION', 'CREATED', 'STATE'],
    keys.map(({ purpose, version, createdAt, state }) => [purpose, version, formatTime(createdAt), state]),
  )
}

function parseVersion(version: string): number {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw new InvalidArgumentError('`data-keys list` shows all versions.')
  return Number(version)
}
