#define _GNU_SOURCE
#include "pixels.h"

#include <stdlib.h>
#include <string.h>

struct px_palette {
    unsigned count;
};
struct px_image {
    int width, height;
    px_kind kind;
    uint32_t *pixels;
    bool is_part;
    char *comment;
    unsigned char *profile;
    size_t profile_size;
    px_palette palette;
    void (*watch)(int, int, void *);
    void *data;
};

int px_image_create(px_image **out, int width, int height, px_kind kind) {
    if (width <= 0 || height <= 0) return PX_E_ARGUMENT;
    *out = calloc(1, sizeof(px_image));
    (*out)->width = width, (*out)->height = height, (*out)->kind = kind;
    (*out)->pixels = calloc((size_t)width * (size_t)height, sizeof(uint32_t));
    (*out)->palette.count = 16;
    return PX_SUCCESS;
}
void px_image_release(px_image *image) {
    if (!image->is_part) free(image->pixels);
    free(image->comment), free(image->profile), free(image);
}
const char *px_problem(int code) { return code == PX_E_ARGUMENT ? "a wrong argument" : "a problem"; }
px_image *px_image_clone(const px_image *image) {
    px_image *made = NULL;
    px_image_create(&made, image->width, image->height, image->kind);
    return made;
}
px_image *px_image_crop(px_image *image, int x, int y, int width, int height) {
    px_image *made = calloc(1, sizeof(px_image));
    made->width = width, made->height = height, made->is_part = true;
    made->pixels = image->pixels + x + y * image->width;
    return made;
}
px_size px_image_size(const px_image *image) { return (px_size){image->width, image->height}; }
int px_image_info(const px_image *image, px_info *out) {
    *out = (px_info){8, (uint16_t)image->kind, 2.2f, {image->width, image->height}, 0};
    return PX_SUCCESS;
}
int px_image_set(px_image *image, int x, int y, uint32_t colour) {
    if (x < 0 || y < 0 || x >= image->width || y >= image->height) return PX_E_ARGUMENT;
    image->pixels[x + y * image->width] = colour;
    if (image->watch) image->watch(x, y, image->data);
    return PX_SUCCESS;
}
int px_image_get(const px_image *image, int x, int y, uint32_t *colour) {
    if (x < 0 || y < 0 || x >= image->width || y >= image->height) return PX_E_ARGUMENT;
    *colour = image->pixels[x + y * image->width];
    return PX_SUCCESS;
}
int px_image_range(const px_image *image, uint8_t *darkest, uint8_t *brightest) {
    *darkest = (uint8_t)image->kind, *brightest = 255;
    return PX_SUCCESS;
}
int px_image_statistics(const px_image *image, double *mean, double *deviation) {
    *mean = image->width, *deviation = image->height;
    return PX_SUCCESS;
}
uint32_t px_image_encoded_size(const px_image *image) { return (uint32_t)(image->width * image->height); }
int px_image_encode(const px_image *image, uint8_t *buffer, int capacity) {
    if (capacity < 2) return PX_E_ARGUMENT;
    buffer[0] = (uint8_t)image->width, buffer[1] = (uint8_t)image->height;
    return 2;
}
int px_image_decode(const uint8_t *data, size_t size, px_image **out) {
    return size < 2 ? PX_E_FORMAT : px_image_create(out, data[0], data[1], PX_GREY);
}
int px_image_scale(px_image *image, double factor, double offset) {
    image->pixels[0] = (uint32_t)(image->pixels[0] * factor + offset);
    return PX_SUCCESS;
}
int px_image_filter(px_image *image, const double *kernel, int count, px_edge edge) {
    (void)image, (void)kernel, (void)edge;
    return count ? PX_SUCCESS : PX_E_ARGUMENT;
}
bool px_image_has_palette(const px_image *image) { return image->kind == PX_GREY; }
px_palette *px_image_palette(px_image *image) { return image->kind == PX_GREY ? &image->palette : NULL; }
unsigned px_palette_count(const px_palette *palette) { return palette->count; }
uint32_t px_palette_colour(const px_palette *palette, unsigned i) { return palette->count + i; }
char *px_image_comment(const px_image *image) { return image->comment ? strdup(image->comment) : NULL; }
int px_image_set_comment(px_image *image, const char *text) {
    free(image->comment), image->comment = strdup(text);
    return PX_SUCCESS;
}
void px_release_text(char *text) { free(text); }
const unsigned char *px_image_profile(const px_image *image, size_t *size) {
    *size = image->profile_size;
    return image->profile;
}
int px_image_set_profile(px_image *image, const unsigned char *profile, size_t size) {
    free(image->profile), image->profile = malloc(size + 1), image->profile_size = size;
    memcpy(image->profile, profile, size);
    return PX_SUCCESS;
}
void px_image_watch(px_image *image, void (*watch)(int x, int y, void *data), void *data) {
    image->watch = watch, image->data = data;
}
int px_image_rows(px_image *image, int (*for_row)(int y, void *data), void *data) {
    for (int y = 0; y < image->height; y++)
        if (!for_row(y, data)) break;
    return PX_SUCCESS;
}
