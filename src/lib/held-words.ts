/** What the start and /health say of a service that was restored. */
export const heldWords = (backupAt: Date): string =>
  `held since the restore of a backup of ${backupAt.toISOString().slice(0, 16).replace('T', ' ')} UTC: nothing is sent until \`queue resume --all\``
