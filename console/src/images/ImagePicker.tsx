import { Button, Modal, Stack, Text } from '@mantine/core'
import { useRows } from '../api/queries'
import { useMay } from '../session/me'
import { IMAGE_TEXTS as TEXTS } from '../texts/images'
import { ImageDrop } from './ImageDrop'
import { ImageGrid } from './ImageGrid'
import type { StoredImage } from './image-files'

type ImagePickerProps = {
  isOpen: boolean
  /** Without a choice. */
  onClose: () => void
  /** Once: it is to be closed then. */
  onChoose: (image: StoredImage) => void
}

/** Chooses one of the team's images, or stores a new one, which is chosen at once. */
export function ImagePicker({ isOpen, onClose, onChoose }: ImagePickerProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={TEXTS.choose} size="xl">
      <Choice onChoose={onChoose} />
    </Modal>
  )
}

/** Read when the dialog opens, not before. */
function Choice({ onChoose }: { onChoose: (image: StoredImage) => void }) {
  const may = useMay()
  const list = useRows('/images', { query: { limit: PAGE } }, { isEnabled: may('images:read') })
  if (!may('images:read')) return <Text>{TEXTS.mayNot}</Text>
  return (
    <Stack>
      {may('images:write') && <ImageDrop onStored={onChoose} />}
      <ImageGrid
        list={list}
        onPicture={(image) => image.taken_down_at === null && onChoose(image)}
        act={(image) => (
          <Button
            size="compact-sm"
            variant="subtle"
            disabled={image.taken_down_at !== null}
            onClick={() => onChoose(image)}
            aria-label={TEXTS.use(image.name)}
            maw="100%"
          >
            <bdi>{image.name}</bdi>
          </Button>
        )}
      />
    </Stack>
  )
}
const PAGE = 40
