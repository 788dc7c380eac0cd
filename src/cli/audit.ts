import { Command, Option } from 'commander'
import { Failure } from '../lib/failure.ts'
import { isId, LOWEST_ID } from '../lib/ids.ts'
import { verifyChain } from '../modules/audit/chain.service.ts'
import type { ChainBreak } from '../modules/audit/chain.ts'
import { openDataKeys } from '../modules/secrets/data-keys.service.ts'
import type { Repositories } from '../repositories.ts'
import { existingSecretKey, withRepositories } from './database.ts'
import { print } from './output.ts'

const PROBLEMS: Record<ChainBreak['problem'], string> = {
  changed: 'it was changed, put in between, or moved',
  'details changed': 'what it says of the change was changed',
  missing: 'it was removed',
  beginning: 'what stands for the entries that were removed for their age was changed',
  end: 'what follows was removed or added, or the end of the chain was changed',
}

export function auditCommands(): Command {
  const audit = new Command('audit').description('The audit log: verify that no entry was changed or removed.')
  audit
    .command('verify')
    .description(
      'Check the chain of the audit log, and name the first entry that does not fit. Entries of the last seconds are not joined yet.',
    )
    .addOption(new Option('--team <id>', 'id of the team (default: all teams)'))
    .action(({ team }: { team?: string }) =>
      withRepositories(async (repositories, config) => {
        const { secretKeyPrevious } = config
        const dataKeys = await openDataKeys(repositories.dataKeys, {
          secretKey: await existingSecretKey(config, repositories),
          secretKeyPrevious,
        })
        if (team !== undefined && !isId(team))
          throw new Failure('validation', 'The id of a team looks like 0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10: `teams list` shows them.')
        let broken = 0
        for (const teamId of team === undefined ? await allTeams(repositories) : [team.toLowerCase()]) {
          const { checked, removed, chainBreak } = await verifyChain(repositories, teamId, dataKeys.of('audit'))
          const gone = removed === 0 ? '' : `, after ${removed} that were removed for their age`
          if (chainBreak === null) print(`Team ${teamId}: ${checked} entries fit${gone}.`)
          else
            print(
              `Team ${teamId}: entry ${chainBreak.seq}${chainBreak.id === null ? '' : ` (${chainBreak.id})`} does not fit: ${PROBLEMS[chainBreak.problem]}.`,
            )
          if (chainBreak !== null) broken += 1
        }
        if (broken > 0) throw new Failure('validation', 'The audit log is not as it was written.')
      }),
    )
  return audit
}

async function allTeams({ auditChains }: Repositories): Promise<string[]> {
  const all: string[] = []
  for (let after: string | undefined = LOWEST_ID; after !== undefined; after = all.at(-1)) {
    const next = await auditChains.chainedAcrossTeams(after)
    if (next.length === 0) return all
    all.push(...next)
  }
  return all
}
