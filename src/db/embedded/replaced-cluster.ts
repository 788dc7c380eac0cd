// A new database takes the place of that of a former major version, which is kept. Whenever a kill comes, either the former one is in place and untouched,
// or the new one is complete and the next start puts it there.
import { existsSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'
import type { Log } from '../session/database-session.ts'
import { type DataFolder, explainingFiles, isMissingOrEmpty, moveWithin } from './data-folder.ts'
import { stopOrphan } from './postgres-orphan.ts'

/** Both servers must have ended. Returns where the former database is. */
export function replaceCluster(folder: DataFolder, formerVersion: string): string {
  const kept = keptCluster(folder, formerVersion)
  // They are all that is stored, readable, and nothing needs them from here on.
  rmSync(folder.upgradeRows, { recursive: true, force: true })
  moveWithin(folder, folder.fillingCluster, folder.upgradedCluster)
  moveWithin(folder, folder.cluster, kept)
  finishReplacement(folder)
  return kept
}

/** Puts a complete database in its place that was left when the former one had gone from there. True if there was one. */
export function finishReplacement(folder: DataFolder): boolean {
  if (!isReplacementUnfinished(folder)) return false
  moveWithin(folder, folder.upgradedCluster, folder.cluster)
  return true
}

/** Whether the former database has left its place, and the new one is not there yet. Without the former one, the new one is a leftover of long ago. */
export const isReplacementUnfinished = (folder: DataFolder): boolean =>
  isMissingOrEmpty(folder.cluster) && existsSync(folder.upgradedCluster) && readdirSync(folder.root).some((name) => KEPT.test(name))

const KEPT = /^postgres-\d+$/

/** Throws a StartupProblem if the database cannot be renamed later. */
export function expectReplaceable(folder: DataFolder, formerVersion: string): void {
  const kept = keptCluster(folder, formerVersion)
  if (existsSync(kept))
    throw new StartupProblem(`${kept} is in the way, which is where the former database is kept: move it elsewhere. Nothing was changed.`)
  // What is mounted or linked there has its place for a reason.
  if (lstatSync(folder.cluster).isSymbolicLink() || statSync(folder.cluster).dev !== statSync(folder.root).dev)
    throw new StartupProblem(
      `${folder.cluster} is a link or on a disk of its own, and the new database would be on another: run \`backup\` with the Posthaste that made it, and \`restore\` with this one. Nothing was changed.`,
    )
}

/** Removes what an upgrade has left that did not end. The former database may have been used since, so nothing of it is taken up again. */
export async function discardUpgrade(folder: DataFolder, log: Log): Promise<void> {
  // Then the new one is complete, and waits for its last rename.
  if (isMissingOrEmpty(folder.cluster)) return
  await stopOrphan(folder.fillingCluster, log)
  for (const path of [folder.fillingCluster, folder.upgradedCluster, folder.upgradeRows])
    explainingFiles(path, () => rmSync(path, { recursive: true, force: true }))
}

const keptCluster = ({ root }: DataFolder, formerVersion: string): string => join(root, `postgres-${formerVersion}`)
