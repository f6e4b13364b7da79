static int within(int i, int count)
{
	return i < 0 ? 0 : i < count ? i : count - 1;
}

extern "C" void blur_gold(const float *in, float *out, int width, int height)
{
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			float sum = 0;
			for (int i = -1; i <= 1; i++)
				for (int j = -1; j <= 1; j++)
					sum += in[within(y + i, height) * width + within(x + j, width)];
			out[y * width + x] = sum / 9;
		}
}
