import { statfsSync } from 'node:fs'
import { freemem } from 'node:os'

const MEMORY_FOLDER = '/dev/shm'
/** Several times what the temporary files of a run take at once. */
const ROOM_BYTES_MIN = 6 * 1024 ** 3

/**
 * A folder for temporary files that is kept in memory, if this machine has one with enough room, and as much memory again. The tests kill
 * processes, not machines, so nothing that they show depends on a disk; and for what is written through to a disk, they would wait a fifth of
 * their time.
 */
export function memoryFolder(): string | null {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= ROOM_BYTES_MIN && freemem() >= 2 * ROOM_BYTES_MIN ? MEMORY_FOLDER : null
  } catch {
    return null
  }
}
