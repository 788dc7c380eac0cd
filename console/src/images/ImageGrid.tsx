import { Badge, Box, Button, Card, Center, Group, Image, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Rows } from '../api/queries'
import { NotLoaded } from '../parts/ErrorAlert'
import { bytesInWords } from '../parts/Files'
import { Loading } from '../parts/Loading'
import { IMAGE_TEXTS as TEXTS } from '../texts/images'
import { SHELL_TEXTS } from '../texts/shell'
import { pathOfImage, type StoredImage } from './image-files'

const HEIGHT = 120

type ImageGridProps = {
  list: Rows<StoredImage>
  /** What can be done with each: a link to its page, or a button that chooses it. */
  act: (image: StoredImage) => ReactNode
  /** A click on the picture does this too. */
  onPicture: (image: StoredImage) => void
}

/** The images of the team, newest first. */
export function ImageGrid({ list, act, onPicture }: ImageGridProps) {
  if (list.error && list.rows.length === 0) return <NotLoaded error={list.error} onRetry={list.retry} />
  if (list.isLoading) return <Loading label={TEXTS.title} />
  if (list.rows.length === 0)
    return (
      <Box p="xl" ta="center" c="dimmed">
        {TEXTS.empty}
      </Box>
    )
  return (
    <Stack>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} component="ul" p={0} m={0} aria-label={TEXTS.title}>
        {list.rows.map((image) => (
          <Card key={image.id} withBorder p="xs" component="li">
            <Card.Section withBorder bg="gray.1" mb="xs" onClick={() => onPicture(image)} style={{ cursor: 'pointer' }}>
              <Picture image={image} height={HEIGHT} />
            </Card.Section>
            <Group justify="space-between" gap="xs" wrap="nowrap" mt="auto">
              <Box miw={0}>
                {act(image)}
                <Text size="xs" c="dimmed">
                  {sizeOf(image)}
                </Text>
              </Box>
            </Group>
          </Card>
        ))}
      </SimpleGrid>
      {list.hasMore && (
        <Button variant="default" mx="auto" onClick={list.loadMore} loading={list.isLoadingMore}>
          {SHELL_TEXTS.more}
        </Button>
      )}
    </Stack>
  )
}

type PictureProps = {
  image: StoredImage
  height: number
  /** Nothing where its name stands beside it. */
  alt?: string
}

/** The picture, or that it is no longer shown to anyone. */
export const Picture = ({ image: { url, taken_down_at: takenDownAt }, height, alt = '' }: PictureProps) =>
  takenDownAt === null ? (
    <Image src={pathOfImage(url)} alt={alt} h={height} w="100%" fit="scale-down" loading="lazy" />
  ) : (
    <Center h={height}>
      <Badge color="red" variant="light">
        {TEXTS.takenDown}
      </Badge>
    </Center>
  )

export const sizeOf = ({ width, height, bytes, frames }: StoredImage): string =>
  [`${width} × ${height}`, bytesInWords(bytes), ...(frames > 1 ? [TEXTS.animated] : [])].join(', ')
