#pragma once

int lazy_helper();
