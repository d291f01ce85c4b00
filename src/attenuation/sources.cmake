# Compiled sources of the room attenuation, relative to it.
set(attenuation_SRCS itkHounsfieldAttenuationModel.cxx)
