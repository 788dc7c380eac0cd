import { stat } from 'node:fs/promises'

/** The mode of a folder that users other than its owner may read or enter, such as `0755`; null if they may not, and on systems without modes. */
export async function openModeOf(folder: string): Promise<string | null> {
  if (process.platform === 'win32') return null
  const { mode } = await stat(folder)
  return (mode & OF_OTHERS) === 0 ? null : (mode & 0o777).toString(8).padStart(4, '0')
}

/** What a mode grants to the group and to everyone. */
const OF_OTHERS = 0o077
