// Has images encoded anew in a thread, one at a time. The thread ends when it is not needed, because the memory that it has grown to would stay.
import { createReadingThread, type ThreadLoss } from '../../../io/threads/reading-thread.ts'
import { Failure, invalid } from '../../../lib/failure.ts'
import { createFairSemaphore } from '../../../lib/limits/fair-semaphore.ts'
import { explainProblem, problem } from '../../../lib/problem.ts'
import { threadFile } from '../../../lib/source-files.ts'
import { DAMAGED, type ImageType } from './image-headers.ts'

/** The largest photo takes about three seconds of a processor. */
export const IMAGE_WORK_MS_MAX = 10_000

const ONE = { perKey: 1, inAll: 1 }
const WAITING_MAX = { perKey: 5, inAll: 50 }
/** A client waits as long for a whole request. */
const WAIT_MS_MAX = 60_000
const RETRY_AFTER_SECONDS = 5

/** So small an image takes less time than starting the thread, which is kept for the next one for a while. */
const SMALL_PIXELS_MAX = 1_000_000
const KEPT_MS = 10_000
/** Each takes a little memory for good. */
const IMAGES_PER_THREAD_MAX = 100

export type ImageThreadSettings = { memoryBytesMax: number }

/** `pixels`: as the header says. */
export type ImageTask = { bytes: Uint8Array; type: ImageType; isLossless: boolean; pixels: number; pixelsMax: number }

/** `height`: of one frame. */
export type EncodedImage = { bytes: Uint8Array; width: number; height: number; frames: number }

export type ImageWork = {
  /**
   * Makes a file with the same picture in the same format, and nothing else.
   * @throws Failure `validation` if it is damaged, takes too long or too much memory, `unavailable` if too many wait
   */
  encodeAnew(teamId: string, task: ImageTask): Promise<EncodedImage>
  /** Ends the thread. What waits fails. */
  close(): Promise<void>
}

type Options = ImageThreadSettings & { deadlineMs?: number; file?: URL; onLoss?: (loss: ThreadLoss) => void }

export function createImageWork({
  memoryBytesMax,
  deadlineMs = IMAGE_WORK_MS_MAX,
  file = threadFile('image-thread', import.meta),
  onLoss,
}: Options): ImageWork {
  const settings: ImageThreadSettings = { memoryBytesMax }
  const thread = createReadingThread<ImageTask, EncodedImage | 'damaged' | 'too large'>({
    what: 'images',
    file,
    settings,
    deadlineMs,
    onLoss,
  })
  const semaphore = createFairSemaphore({
    ...{ atOnceMax: ONE, waitingMax: WAITING_MAX, waitMsMax: WAIT_MS_MAX },
    refusal: () =>
      new Failure('unavailable', 'Too many images are being processed. Please try again in a few seconds.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      }),
  })

  let resting: NodeJS.Timeout | undefined
  let images = 0

  async function inThread(task: ImageTask): Promise<EncodedImage | 'damaged' | 'too large' | 'overdue'> {
    clearTimeout(resting)
    try {
      return await thread.read(task)
    } finally {
      images += 1
      if (task.pixels > SMALL_PIXELS_MAX || images % IMAGES_PER_THREAD_MAX === 0) await thread.rest()
      else resting = setTimeout(() => void thread.rest(), KEPT_MS).unref()
    }
  }

  return {
    async encodeAnew(teamId, task) {
      const encoded = await semaphore.run(teamId, () => inThread(task))
      if (encoded === 'damaged') throw invalid(explainProblem('content', DAMAGED))
      if (encoded === 'too large' || encoded === 'overdue') throw invalid(explainProblem('content', TOO_MUCH))
      return encoded
    },
    async close() {
      clearTimeout(resting)
      semaphore.close()
      await thread.close()
    },
  }
}

const TOO_MUCH = problem(
  `must be an image that this service can decode within ${IMAGE_WORK_MS_MAX / 1_000} seconds and the memory that it has. Give it fewer pixels, or fewer frames`,
)
