/* Pictures: a C library whose statuses are plain integers, for the tests of `verify`. */
#ifndef PIXELS_H
#define PIXELS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define PX_SUCCESS 0
/* An error: an argument is invalid. */
#define PX_E_ARGUMENT (-1)
/* An error: no memory was left. */
#define PX_E_MEMORY (-2)
/* An error: the data is no picture. */
#define PX_E_FORMAT (-3)

typedef enum px_kind { PX_GREY = 1, PX_RGB = 3, PX_RGBA = 4 } px_kind;
typedef enum px_edge { PX_EDGE_CLAMP, PX_EDGE_WRAP, PX_EDGE_MIRROR } px_edge;

typedef struct px_image px_image;
typedef struct px_palette px_palette;

typedef struct px_size {
    int width;
    int height;
} px_size;

typedef struct px_info {
    uint8_t depth;
    uint16_t channels;
    float gamma;
    px_size size;
    int64_t taken;
} px_info;

/* Makes a picture. Returns PX_SUCCESS, or an error code. The caller releases it with px_image_release. */
int px_image_create(px_image **out, int width, int height, px_kind kind);

/* Releases a picture. */
void px_image_release(px_image *image);

/* The last problem, which is static text. */
const char *px_problem(int code);

/* Another picture with the same content, which has to be released, or NULL if no memory was left. */
px_image *px_image_clone(const px_image *image);

/* The part of a picture in a rectangle. It shares the pixels, so the picture must outlive it; it has to be released. */
px_image *px_image_crop(px_image *image, int x, int y, int width, int height);

/* The size. */
px_size px_image_size(const px_image *image);

/* All that is known. Returns PX_SUCCESS, or an error code. */
int px_image_info(const px_image *image, px_info *out);

/* Sets a pixel. Returns PX_SUCCESS, or an error code. */
int px_image_set(px_image *image, int x, int y, uint32_t colour);

/* A pixel. Returns PX_SUCCESS, or an error code. */
int px_image_get(const px_image *image, int x, int y, uint32_t *colour);

/* Where the darkest and the brightest pixels are. Returns PX_SUCCESS, or an error code. */
int px_image_range(const px_image *image, uint8_t *darkest, uint8_t *brightest);

/* The mean and the deviation. Returns PX_SUCCESS, or an error code. */
int px_image_statistics(const px_image *image, double *mean, double *deviation);

/* How many bytes the file has: at most 4 GiB. */
uint32_t px_image_encoded_size(const px_image *image);

/* Writes the file into a buffer. Returns how many bytes it wrote, or an error code below 0. */
int px_image_encode(const px_image *image, uint8_t *buffer, int capacity);

/* Reads a file. Returns PX_SUCCESS, or an error code. The caller releases the picture with px_image_release. */
int px_image_decode(const uint8_t *data, size_t size, px_image **out);

/* Scales each pixel. Returns PX_SUCCESS, or an error code. */
int px_image_scale(px_image *image, double factor, double offset);

/* Blurs with a kernel of weights. Returns PX_SUCCESS, or an error code. */
int px_image_filter(px_image *image, const double *kernel, int count, px_edge edge);

/* Whether it has a palette. */
bool px_image_has_palette(const px_image *image);

/* The palette, or NULL if it has none. It is owned by the picture. */
px_palette *px_image_palette(px_image *image);

/* How many colours there are. */
unsigned px_palette_count(const px_palette *palette);

/* Colour number i. */
uint32_t px_palette_colour(const px_palette *palette, unsigned i);

/* The comment of a picture, which has to be freed with px_release_text; NULL if there is none. */
char *px_image_comment(const px_image *image);

/* Sets the comment. It is copied. Returns PX_SUCCESS, or an error code. */
int px_image_set_comment(px_image *image, const char *text);
void px_release_text(char *text);

/* The profile: bytes, which the picture owns, and how many there are. */
const unsigned char *px_image_profile(const px_image *image, size_t *size);

/* Sets the profile. It is copied. Returns PX_SUCCESS, or an error code. */
int px_image_set_profile(px_image *image, const unsigned char *profile, size_t size);

/* Watches a picture: calls watch whenever a pixel is set, until the picture is released. */
void px_image_watch(px_image *image, void (*watch)(int x, int y, void *data), void *data);

/* Calls for_row for each row, before it returns. Returns PX_SUCCESS, or an error code. */
int px_image_rows(px_image *image, int (*for_row)(int y, void *data), void *data);

#ifdef __cplusplus
}
#endif
#endif
