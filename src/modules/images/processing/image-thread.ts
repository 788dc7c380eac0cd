// The thread that decodes images and encodes them anew: nothing but the picture is left, whatever else was in the file. It reads no other formats, and
// its memory has a limit of its own.
import { workerData } from 'node:worker_threads'
import { answerQuestions } from '../../../io/threads/thread-questions.ts'
import type { ImageType } from './image-headers.ts'
import { type ImageLibrary, LOADERS, libraryError, loadImageLibrary, type Picture } from './image-library.ts'
import type { EncodedImage, ImageTask, ImageThreadSettings } from './image-work.ts'

const { memoryBytesMax }: ImageThreadSettings = workerData
const library = await loadImageLibrary(memoryBytesMax)

answerQuestions<ImageTask, EncodedImage | 'damaged' | 'too large'>(async (task, note) => {
  note()
  try {
    return encodeAnew(task)
  } catch (error) {
    const said = libraryError(error)
    if (said === null) throw error
    return /out of memory|failed to allocate/.test(said) ? 'too large' : 'damaged'
  }
})

function encodeAnew({ bytes, type, isLossless, pixelsMax }: ImageTask): EncodedImage | 'too large' {
  const decoded = decode(library, { bytes, type })
  // What the header said, as the decoder understands it.
  if (decoded.width * decoded.height > pixelsMax) return 'too large'
  const picture = inStandardColors(decoded)
  const frames = Math.max(1, Math.round(picture.height / picture.pageHeight))
  const encoded = encode(picture, type, isLossless)
  return { bytes: encoded, width: picture.width, height: Math.round(picture.height / frames), frames }
}

/** A part that is missing is an error: a half picture would be sent to thousands. */
function decode({ Image }: ImageLibrary, { bytes, type }: Pick<ImageTask, 'bytes' | 'type'>): Picture {
  const open = Image[LOADERS[type]]
  const whole = { fail_on: 'truncated' } as const
  if (type === 'image/gif' || type === 'image/webp') return open(bytes, { ...whole, n: -1 })
  const inOrder = open(bytes, { ...whole, access: 'sequential' })
  // The direction in which the camera was held goes with the metadata, so the picture is turned. For that, all of it has to be there.
  const isTurned = inOrder.getTypeof('orientation') !== 0 && inOrder.getInt('orientation') > 1
  return isTurned ? open(bytes, { ...whole, access: 'random' }).autorot() : inOrder
}

/** The profile of its colors goes with the metadata, too. */
function inStandardColors(picture: Picture): Picture {
  const hasProfile = picture.getTypeof('icc-profile-data') !== 0
  return hasProfile || picture.interpretation === 'cmyk' ? picture.iccTransform('srgb', { embedded: hasProfile }) : picture
}

/** Quality of what has no lossless form. Pictures that are encoded twice lose little at this. */
const QUALITY = 85

/** The cheapest ways: a photo takes some seconds, and files become a few percent larger. */
function encode(picture: Picture, type: ImageType, isLossless: boolean): Uint8Array {
  const keep = 'none'
  switch (type) {
    case 'image/png':
      return picture.pngsaveBuffer({ keep })
    case 'image/jpeg':
      return picture.jpegsaveBuffer({ keep, Q: QUALITY })
    case 'image/gif':
      return picture.gifsaveBuffer({ keep, effort: 1, dither: 0, reuse: true })
    case 'image/webp':
      return picture.webpsaveBuffer({ keep, effort: 1, ...(isLossless ? { lossless: true } : { Q: QUALITY }) })
  }
}
